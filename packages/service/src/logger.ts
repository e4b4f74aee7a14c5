import { type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { Logger };

/** Lines are written together, at the latest after this time, since a write for each would cost more than the line. */
const WRITE_EVERY_MS = 100;
const WRITE_BYTES = 8 * 1024;

/** JSON lines on a pipe, readable lines on a terminal; written without making a request wait. */
export function createLogger(service: string, level: string): Logger {
  const destination = process.stdout.isTTY
    ? PinoPretty({ ignore: 'pid,hostname,service', translateTime: 'HH:MM:ss.l', singleLine: true })
    : pino.destination({ dest: 1, sync: false, minLength: WRITE_BYTES, periodicFlush: WRITE_EVERY_MS });
  return pino(
    {
      level,
      base: { service },
      timestamp: isoTime(),
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
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
