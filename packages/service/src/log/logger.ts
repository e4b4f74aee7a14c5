import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import { type TerminalLines, terminalLines } from './terminal.ts';

export type Logger = Pino;

/** A write costs more than a line. A reader that is 64 MiB behind loses lines. */
const BATCHES = { sync: false, minLength: 4_096, periodicFlush: 100, maxLength: 64 * 1024 * 1024 };

/**
 * JSON lines on standard output; no request waits for a write. If a write fails, as on a full
 * disk, standard error says so once, and the service goes on.
 */
export function createLogger(service: string, level: string): Logger {
  const output = pino.destination({ dest: 1, ...BATCHES });
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
  const destination = {
    write: (text: string) => broken || output.write(text),
    flush: (done: (error?: Error) => void) => (broken ? done() : output.flush(done)),
  };
  return loggerTo(destination, level, service);
}

/** Readable lines, for the terminal that standard output is. */
export function createTerminalLogger(service: string, level: string, lines: TerminalLines): Logger {
  const readable = terminalLines(lines, () => process.stdout.columns);
  return loggerTo({ write: (text) => process.stdout.write(readable(text)) }, level, service);
}

/** As `createLogger`, to any destination. */
export function loggerTo(
  destination: Pick<DestinationStream, 'write'>,
  level: string,
  service: string,
): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: { service }, timestamp, formatters }, destination);
}
