import { pino } from 'pino';

/** pino writes to it. */
export interface Destination {
  write(text: string): unknown;
  flush?(done: (error?: Error) => void): void;
}

/** Lines are written in batches, because a write costs more than a line. */
const OPTIONS = { dest: 1, sync: false, minLength: 4_096, periodicFlush: 100 };

/** A reader that is this far behind loses lines: they must not fill the memory. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * Standard output that never blocks a request and is flushed when the process ends. If it
 * fails, as on a full disk, standard error says so once, and the service goes on.
 */
export function standardOutput(): Destination {
  const output = pino.destination({ ...OPTIONS, maxLength: MAX_WAITING_BYTES });
  let broken = false;
  output.once('error', ({ message }: Error) => {
    broken = true;
    // Otherwise the rest would be written again, and fail again, when the process ends.
    output.destroy();
    process.stderr.write(`The log cannot be written and ends here: ${message}\n`);
  });
  output.once('drop', () =>
    process.stderr.write('The reader of the log is too slow: lines are being lost.\n'),
  );
  return {
    write: (text) => broken || output.write(text),
    flush: (done) => (broken ? done() : output.flush(done)),
  };
}
