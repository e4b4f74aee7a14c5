import { type Logger as Pino, pino } from 'pino';
import { type Destination, standardOutput } from './standard-output.ts';
import { type TerminalLines, terminalLines } from './terminal.ts';

export type Logger = Pino;

/** JSON lines on standard output; no request waits for a write. */
export function createLogger(service: string, level: string): Logger {
  return loggerTo(standardOutput(), level, service);
}

/** Readable lines, for the terminal that standard output is. */
export function createTerminalLogger(service: string, level: string, lines: TerminalLines): Logger {
  const readable = terminalLines(lines, () => process.stdout.columns);
  return loggerTo({ write: (text) => process.stdout.write(readable(text)) }, level, service);
}

/** As `createLogger`, to any destination. */
export function loggerTo(destination: Destination, level: string, service: string): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: { service }, timestamp, formatters }, destination);
}
