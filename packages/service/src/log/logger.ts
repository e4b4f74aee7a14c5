import { type Logger as Pino, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

/** pino, and a faster way to write the one line of every request. */
export interface Logger extends Pino {
  /** Writes an info line with the members of both objects; costs a third of `info`. */
  line(message: string, fields: object, more?: object): void;
}

/** Lines are batched, since a write costs more than a line; for this long at most. */
const WRITE_EVERY_MS = 100;
const WRITE_BYTES = 64 * 1024;

/** INVARIANT: above `WRITE_BYTES`. A longer line is written whole. */
const MAX_WRITE_BYTES = 2 * WRITE_BYTES;

/** JSON lines on a pipe, readable lines on a terminal; no request waits for a write. */
export function createLogger(service: string, level: string): Logger {
  const destination = process.stdout.isTTY
    ? PinoPretty({ ignore: 'pid,hostname,service', translateTime: 'HH:MM:ss.l', singleLine: true })
    : standardOutput();
  return loggerTo(destination, level, service);
}

/** If it fails, as on a full disk, a line on standard error says so; the service goes on. */
function standardOutput() {
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: WRITE_BYTES,
    maxWrite: MAX_WRITE_BYTES,
    periodicFlush: WRITE_EVERY_MS,
    contentMode: 'buffer',
  });
  let broken = false;
  output.on('error', ({ message }: Error) => {
    if (broken) return;
    broken = true;
    // Otherwise the process would retry the rest forever at its end.
    output.destroy();
    process.stderr.write(`The log cannot be written and ends here: ${message}\n`);
  });
  // As text: to encode each line alone costs more than to make it.
  let waiting = '';
  const handOver = () => {
    if (waiting === '' || broken) return;
    // As bytes: sonic-boom would measure all pending text each time. Its type lacks them.
    output.write(Buffer.from(waiting) as unknown as string);
    waiting = '';
  };
  // Called at each interval, and when the process ends.
  const { flush, flushSync } = output;
  output.flush = (done) => {
    handOver();
    flush.call(output, done);
  };
  output.flushSync = () => {
    handOver();
    flushSync.call(output);
  };
  return {
    write: (text: string) => {
      if (broken) return;
      waiting += text;
      if (waiting.length >= WRITE_BYTES) handOver();
    },
    flush: (done: () => void) => (broken ? done() : output.flush(done)),
  };
}

/** As `createLogger`, to any destination. */
export function loggerTo(
  destination: { write(text: string): void },
  level: string,
  service: string,
): Logger {
  const time = isoTime();
  const logger = pino(
    {
      level,
      base: { service },
      timestamp: time,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const bound = `,"service":${JSON.stringify(service)}`;
  const line: Logger['line'] = (message, fields, more) => {
    if (!logger.isLevelEnabled('info')) return;
    const members =
      more === undefined ? membersOf(fields) : `${membersOf(fields)},${membersOf(more)}`;
    destination.write(
      `{"level":"info"${time()}${bound},${members},"msg":${JSON.stringify(message)}}\n`,
    );
  };
  return Object.assign(logger, { line });
}

/** The JSON of an object without its braces. */
function membersOf(fields: object): string {
  return JSON.stringify(fields).slice(1, -1);
}

/** The member `time`, formatted once per millisecond. */
function isoTime(): () => string {
  let current = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== current) text = `,"time":"${new Date(now).toISOString()}"`;
    current = now;
    return text;
  };
}
