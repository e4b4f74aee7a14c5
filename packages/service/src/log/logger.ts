import { type Logger as Pino, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

/** pino, and a way past its serialiser for the one line that every request writes. */
export interface Logger extends Pino {
  /**
   * Writes an info line with the members of these objects; costs a third of `info`. Two
   * objects are not merged, since one of many members is slow to build.
   */
  line(message: string, fields: object, more?: object): void;
}

/**
 * Lines are written together, at the latest after this time, since a write for each would
 * cost more than the line.
 */
const WRITE_EVERY_MS = 100;
const WRITE_BYTES = 64 * 1024;

/**
 * Lines that wait are written at once up to this; it has to be above that, and a longer
 * line is written whole.
 */
const MAX_WRITE_BYTES = 2 * WRITE_BYTES;

/**
 * JSON lines on a pipe, readable lines on a terminal; written without making a request
 * wait.
 */
export function createLogger(service: string, level: string): Logger {
  const destination = process.stdout.isTTY
    ? PinoPretty({ ignore: 'pid,hostname,service', translateTime: 'HH:MM:ss.l', singleLine: true })
    : standardOutput();
  return loggerTo(destination, level, service);
}

/**
 * Where it cannot be written, such as to a full disk, the log ends with a line on
 * standard error; the service goes on.
 */
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
    // What is left would otherwise be tried for ever when the process ends.
    output.destroy();
    process.stderr.write(`The log cannot be written and ends here: ${message}\n`);
  });
  // Lines gather as text, since to hand over each as bytes costs more than to make it.
  let waiting = '';
  const handOver = () => {
    if (waiting === '' || broken) return;
    // Bytes, since of text it measures all that is pending each time. Its type knows text
    // alone.
    output.write(Buffer.from(waiting) as unknown as string);
    waiting = '';
  };
  // By these it writes all it has: every now and then, and when the process ends.
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

/** An object's JSON without its braces. */
function membersOf(fields: object): string {
  return JSON.stringify(fields).slice(1, -1);
}

/** The member `time`; the text is made anew only when the millisecond has changed. */
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
