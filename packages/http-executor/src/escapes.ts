/** A text with its escapes of one kind undone, and where in the original each of its positions is. */
export interface Reading {
  readonly text: string;
  readonly origin: (position: number) => number;
}

/** One way in which programs escape characters. Read by hand: a regular expression takes several times as long. */
interface Escape {
  /** Without this character there is nothing to undo. */
  readonly mark: string;
  /** The UTF-16 unit that the escape at a mark stands for, and its length in the upper half; 0: there is none. */
  readonly read: (text: string, at: number) => number;
  /** An escape that was cut off. */
  readonly unfinished: RegExp;
}

const escaped = (unit: number, length: number) => (length << 16) | unit;

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ENTITIES = Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" });

/** The longest escape that is read. */
const MAX_LENGTH = 10;

/** The value of a digit, up to hexadecimal ones; 16 when it is none. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 16;
}

/** The value of so many hexadecimal digits; -1: they are none. */
function hexAt(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const digit = digitAt(text, index);
    if (digit === 16) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function readPercent(text: string, at: number): number {
  const octet = hexAt(text, at + 1, 2);
  return octet < 0 ? 0 : escaped(octet, 3);
}

function readBackslash(text: string, at: number): number {
  const next = text[at + 1];
  if (next === undefined) return 0;
  const digits = next === 'u' ? 4 : next === 'x' ? 2 : 0;
  const value = digits === 0 ? -1 : hexAt(text, at + 2, digits);
  return value < 0 ? escaped((CONTROLS[next] ?? next).charCodeAt(0), 2) : escaped(value, 2 + digits);
}

function readEntity(text: string, at: number): number {
  if (text[at + 1] === '#') return readNumber(text, at);
  for (const [name, character] of ENTITIES) {
    const end = at + 1 + name.length;
    if (text[end] !== ';' || text.slice(at + 1, end).toLowerCase() !== name) continue;
    return escaped(character.charCodeAt(0), name.length + 2);
  }
  return 0;
}

function readNumber(text: string, at: number): number {
  const base = text[at + 2] === 'x' || text[at + 2] === 'X' ? 16 : 10;
  const from = at + (base === 16 ? 3 : 2);
  let value = 0;
  let end = from;
  for (; end < at + MAX_LENGTH && digitAt(text, end) < base; end++) value = value * base + digitAt(text, end);
  return end === from || text[end] !== ';' || value > 0xffff ? 0 : escaped(value, end + 1 - at);
}

/** JSON Pointers, in which the names of members appear. */
function readPointer(text: string, at: number): number {
  const next = text[at + 1];
  if (next === '0') return escaped(0x7e, 2);
  return next === '1' ? escaped(0x2f, 2) : 0;
}

const ESCAPES: readonly Escape[] = [
  { mark: '%', read: readPercent, unfinished: /%[\da-f]?$/i },
  { mark: '\\', read: readBackslash, unfinished: /\\(?:u[\da-f]{0,3}|x[\da-f]?)?$/i },
  { mark: '&', read: readEntity, unfinished: /&(?:#\d*|#x[\da-f]*|[a-z]{0,4})$/i },
  { mark: '~', read: readPointer, unfinished: /~$/ },
];

const MARKS = new RegExp(`[${ESCAPES.map(({ mark }) => `\\${mark}`).join('')}]`);

/** The text as each kind of escape that occurs in it has it. */
export function readings(text: string): Reading[] {
  // Most texts have none, and a body may have hundreds of thousands of texts.
  if (!MARKS.test(text)) return [];
  return ESCAPES.flatMap((kind) => read(text, kind));
}

/** The same for a text that was cut off, perhaps in the midst of an escape, which goes then. */
export function readingsOfCut(text: string): Reading[] {
  return ESCAPES.flatMap((kind) => {
    const cut = kind.unfinished.exec(text.slice(-MAX_LENGTH))?.[0].length ?? 0;
    if (cut === 0) return read(text, kind);
    const before = text.slice(0, text.length - cut);
    return [{ text: before, origin: (at: number) => at }, ...read(before, kind)];
  });
}

/** None when there is nothing to undo; two where it can be undone once more, as in JSON within JSON. */
function read(text: string, kind: Escape): Reading[] {
  const once = text.includes(kind.mark) ? undo(text, kind) : undefined;
  if (once === undefined) return [];
  const again = once.text.includes(kind.mark) ? undo(once.text, kind) : undefined;
  if (again === undefined) return [once];
  return [once, { text: again.text, origin: (at) => once.origin(again.origin(at)) }];
}

function undo(text: string, { mark, read }: Escape): Reading | undefined {
  /** The position behind each character that was escaped, and how much longer the original is up to there. */
  const behind: number[] = [];
  const longer: number[] = [];
  const units = new Uint16Array(text.length);
  const marked = mark.charCodeAt(0);
  let length = 0;
  for (let at = 0; at < text.length; length++) {
    const unit = text.charCodeAt(at);
    const found = unit === marked ? read(text, at) : 0;
    units[length] = found === 0 ? unit : found & 0xffff;
    at += found === 0 ? 1 : found >>> 16;
    if (found === 0) continue;
    behind.push(length + 1);
    longer.push(at - length - 1);
  }
  if (behind.length === 0) return undefined;
  const undone = Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
  return { text: undone, origin: (at) => at + (longer[countUpTo(behind, at) - 1] ?? 0) };
}

/** How many of these ascending numbers are at most the limit. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
