import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../src/index.ts';

// Logs for a while, and ends.
const logger = createLogger('talkative', 'info');
for (let line = 0; line < 10; line++) {
  logger.info({ line }, 'x'.repeat(2_000));
  // A failed write is told of between two lines.
  await sleep(50);
}
