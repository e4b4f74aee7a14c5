export type LogFields = Readonly<Record<string, unknown>>;

export interface Shown {
  /** The start of a line, always shown in full. */
  readonly headline: string;
  /** Fields after the headline, cut if the line is too long for the terminal. */
  readonly rest: LogFields;
}

/** Formatters keyed by `msg`. If a formatter returns undefined, the default format applies. */
export type TerminalLines = Readonly<Record<string, (entry: LogFields) => Shown | undefined>>;

const USUAL_WIDTH = 80;

const NAME_WIDTH = 'executor'.length;

/** Returns a function that formats JSON log lines to fit the width of the terminal. */
export function terminalLines(lines: TerminalLines, columns: () => number | undefined) {
  return (text: string): string => {
    const { level, time, service, err, ...entry }: LogFields = JSON.parse(text);
    const { headline, rest } = entryShown({ level, ...entry }, lines);
    const clock = new Date(String(time)).toTimeString().slice(0, 'HH:MM:ss'.length);
    const begin = `${clock} ${String(service).padEnd(NAME_WIDTH)} ${plain(headline)}`;
    const more = plain(detailsOf(rest));
    const room = (columns() ?? USUAL_WIDTH) - begin.length - 1;
    const cut = more.length > room ? `${more.slice(0, Math.max(0, room - 1))}…` : more;
    return `${begin}${more === '' ? '' : ` ${cut}`}${stackOf(err)}\n`;
  };
}

function entryShown({ level, ...entry }: LogFields, lines: TerminalLines): Shown {
  const { msg, ...rest } = entry;
  const own = lines[String(msg)]?.(rest);
  if (own !== undefined) return own;
  if (rest.duration_ms !== undefined) return requestShown(entry);
  if (level === 'info') return { headline: `${msg}`, rest };
  // Do not shorten a warning or an error, even if its reason is long.
  return {
    headline: `${String(level).toUpperCase()} ${msg} ${detailsOf(rest)}`.trimEnd(),
    rest: {},
  };
}

/** Summarizes a request, for example as `refused InvalidRequest POST /policy/check`. */
function requestShown({ msg, method, path, status, code, ...rest }: LogFields): Shown {
  const request = `${method} ${path}`;
  if (msg === 'request aborted') return { headline: `aborted ${request}`, rest };
  if (code === undefined) return { headline: `${request} → ${status}`, rest };
  const verb = code === 'InternalError' ? 'failed' : 'refused';
  return { headline: `${verb} ${code} ${request}`, rest };
}

/** Formats fields as text, with the duration first and ids last. */
function detailsOf({ duration_ms, request_id, trace_id, ...rest }: LogFields): string {
  const duration = duration_ms === undefined ? [] : [`${duration_ms} ms`];
  return [...duration, ...pairsOf({ ...rest, request_id, trace_id })].join(' ');
}

/** Lists fields as pairs such as `upstream.host=example.com`, with digests cut to 8 hex digits. */
function pairsOf(fields: object, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return pairsOf(value, `${prefix}${name}.`);
    return `${prefix}${name}=${value}`.replace(/\b([\da-f]{8})[\da-f]{56}\b/g, '$1');
  });
}

/** Strips control characters, because a caller could use them to manipulate the terminal. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { readonly stack?: string; readonly message?: string };
  const lines = (stack ?? message ?? '').split('\n');
  return lines.map((line) => `\n    ${plain(line)}`).join('');
}
