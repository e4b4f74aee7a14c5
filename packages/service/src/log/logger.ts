import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import { type TerminalLines, terminalLines } from './terminal.ts';

export type Logger = Pino;

/** Batches writes, because each is expensive. Drops lines if the reader is 64 MiB behind. */
const BATCHES = {
  sync: false,
  minLength: 4_096,
  periodicFlush: 100,
  maxLength: 64 * 1024 * 1024,
};

/**
 * Logs JSON lines to standard output without blocking requests. If a write fails, for example
 * on a full disk, reports it once on standard error and drops all further lines.
 */
export function createLogger(service: string, level: string): Logger {
  const output = pino.destination({ dest: 1, ...BATCHES });
  let broken = false;
  output.once('error', ({ message }: Error) => {
    broken = true;
    // Otherwise pino would retry the buffered lines, and fail again, when the process ends.
    output.destroy();
    process.stderr.write(`Cannot write the log, so it ends here: ${message}\n`);
  });
  output.once('drop', () =>
    process.stderr.write('The log reader is too slow, so lines are being lost.\n'),
  );
  const destination = {
    write: (text: string) => broken || output.write(text),
    flush: (done: (error?: Error) => void) => (broken ? done() : output.flush(done)),
  };
  return loggerTo(destination, level, service);
}

/** Logs readable lines to standard output, which must be a terminal. */
export function createTerminalLogger(service: string, level: string, lines: TerminalLines): Logger {
  const readable = terminalLines(lines, () => process.stdout.columns);
  return loggerTo({ write: (text) => process.stdout.write(readable(text)) }, level, service);
}

export function loggerTo(
  destination: Pick<DestinationStream, 'write'>,
  level: string,
  service: string,
): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: { service }, timestamp, formatters }, destination);
}
