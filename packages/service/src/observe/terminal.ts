import type { DestinationStream } from 'pino';

export type LogFields = Readonly<Record<string, unknown>>;

/** Functions that summarize the result that a line reports, keyed by the line's `msg`. */
export type Summaries = Readonly<Record<string, (entry: LogFields) => string | undefined>>;

/** Fields that the beginning of a line already shows. */
const SUMMARIZED = [
  ...['time', 'level', 'service', 'method', 'path', 'status', 'decision', 'rules', 'checks'],
  ...['outcome', 'upstream.method', 'upstream.host', 'upstream.status'],
];

/** Characters with which a caller could manipulate the terminal. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Shows JSON log lines as text that begins with the time, the service and the result. */
export async function terminal(
  summaries: Summaries,
  show: (text: string) => void,
): Promise<DestinationStream> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize: false,
    singleLine: true,
    ignore: SUMMARIZED.join(),
    customPrettifiers: { digest: (digest) => String(digest).slice(0, 8) },
    messageFormat: ({ time, service, ...entry }) => {
      const clock = new Date(String(time)).toTimeString().slice(0, 'HH:MM:ss'.length);
      const name = String(service).padEnd('executor'.length);
      const line = `${clock} ${name} ${summaryOf(entry, summaries)}`;
      return line.replaceAll('\n', '');
    },
  });
  return { write: (line) => show(pretty(line).replace(UNSAFE, '')) };
}

function summaryOf(entry: LogFields, summaries: Summaries): string {
  const { level, msg, method, path, status, code, duration_ms } = entry;
  const own = summaries[String(msg)]?.(entry);
  if (own !== undefined) return own;
  if (duration_ms === undefined)
    return level === 'info' ? String(msg) : `${String(level).toUpperCase()} ${msg}`;

  const request = `${method} ${path}`;
  if (msg === 'request aborted') return `aborted ${request}`;
  if (code === undefined) return `${request} → ${status}`;
  return `${code === 'InternalError' ? 'failed' : 'refused'} ${code} ${request}`;
}
