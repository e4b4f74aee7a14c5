import type { PinoPretty } from 'pino-pretty';

/** `[12:00:00.000] ERROR: ` */
const PREFIX_WIDTH = 22;
const USUAL_WIDTH = 80;

/** The longest name of a service. */
const NAME_WIDTH = 8;

/** One line per entry, for a terminal of so many columns. */
export function terminalOptions(columns: () => number | undefined): PinoPretty.PrettyOptions {
  return {
    // What pino-pretty would show in a way of its own.
    ignore: 'pid,hostname,name,caller',
    translateTime: 'HH:MM:ss.l',
    hideObject: true,
    messageFormat: (entry) => lineOf(entry, (columns() ?? USUAL_WIDTH) - PREFIX_WIDTH),
  };
}

/** The name of the service and the message are never cut, but what follows them. */
function lineOf(entry: Record<string, unknown>, width: number): string {
  const { level: _level, time: _time, service, msg, err, ...fields } = entry;
  const { method, path, status, duration_ms, request_id, ...rest } = fields;
  const isRequest = duration_ms !== undefined;
  const message = isRequest ? `${method} ${path} ${status} ${duration_ms} ms` : String(msg);
  const shown = isRequest ? { ...(msg !== 'request' && { msg }), ...rest, request_id } : fields;
  const begin = `${String(service).padEnd(NAME_WIDTH)} ${plain(message)}`;
  const more = plain(pairsOf(shown).join(' '));
  const room = Math.max(0, width - begin.length - 1);
  const cut = more.length > room ? `${more.slice(0, Math.max(0, room - 1))}…` : more;
  return `${more === '' ? begin : `${begin} ${cut}`}${stackOf(err)}`;
}

/** `upstream.host=example.com`, one for each value inside. */
function pairsOf(fields: object, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return pairsOf(value, `${prefix}${name}.`);
    return `${prefix}${name}=${value}`;
  });
}

/** Without control characters, which a caller could send to the terminal. */
const plain = (text: string) => text.replace(/\p{Cc}/gu, '');

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { readonly stack?: string; readonly message?: string };
  const lines = (stack ?? message ?? '').split('\n');
  return lines.map((line) => `\n    ${plain(line)}`).join('');
}
