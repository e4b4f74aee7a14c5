import { createLogger } from '../../src/index.ts';

// Logs more than a pipe holds, and ends while that waits to be read.
const logger = createLogger('hurried', 'info');
for (let line = 0; line < 1_000; line++) logger.info({ line }, 'x'.repeat(1_000));
const end = () => process.exit(0);
if (process.argv[2] === 'flush') logger.flush(end);
else setTimeout(end, 250);
