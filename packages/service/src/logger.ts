import { type Logger, pino, stdTimeFunctions } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type { Logger };

/** JSON lines on a pipe, readable lines on a terminal; written without making a request wait. */
export function createLogger(service: string, level: string): Logger {
  const destination = process.stdout.isTTY
    ? PinoPretty({ ignore: 'pid,hostname,service', translateTime: 'HH:MM:ss.l', singleLine: true })
    : pino.destination({ dest: 1, sync: false });
  return pino(
    {
      level,
      base: { service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}
