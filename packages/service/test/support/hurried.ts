import { createLogger } from '../../src/index.ts';

// Logs lines, a thousand of which are more than a pipe holds, and ends while they wait to
// be read.
const logger = createLogger('hurried', 'info');
for (let line = 0; line < Number(process.argv[3]); line++) logger.info({ line }, 'x'.repeat(1_000));
const end = () => process.exit(0);
const ends: Record<string, () => void> = {
  flushed: () => logger.flush(end),
  // While its reader sleeps for a second.
  waiting: () => setTimeout(end, 250),
  atOnce: end,
  byItself: () => {},
};
ends[process.argv[2] ?? '']?.();
