import { createLogger } from '../../src/index.ts';

// Logs more than a pipe holds, and ends while that waits to be read.
const logger = createLogger('hurried', 'info');
for (let line = 0; line < 1_000; line++) logger.info({ line }, 'x'.repeat(1_000));
setTimeout(() => process.exit(0), 300);
