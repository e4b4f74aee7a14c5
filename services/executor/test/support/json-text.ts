/**
 * Reads JSON as text, so that a test sees what `JSON.parse` would lose: digits, escapes,
 * repeated members, their order. Independent of the executor's own reading. Texts may be
 * latin1, one character for each byte.
 */

const BLANKS = /[ \t\r\n]*/y;
const WORD = /-?\d[\d.eE+-]*|true|false|null/y;

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Just behind the closing quote of the string that begins at `at`. */
function afterString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  throw new Error(`a string does not end: ${text.slice(at, at + 60)}`);
}

function afterToken(text: string, at: number): number {
  const first = text.charAt(at);
  if (first === '"') return afterString(text, at);
  if ('{}[],:'.includes(first)) return at + 1;
  const end = after(WORD, text, at);
  if (end === at) throw new Error(`no JSON at ${at}: ${text.slice(at, at + 60)}`);
  return end;
}

interface Token {
  readonly text: string;
  readonly from: number;
}

function* walk(text: string): Generator<Token> {
  for (let at = after(BLANKS, text, 0); at < text.length; ) {
    const end = afterToken(text, at);
    yield { text: text.slice(at, end), from: at };
    at = after(BLANKS, text, end);
  }
}

/** Every token as it is written; blanks between them do not count. */
const tokensOf = (text: string): string[] => Array.from(walk(text), (token) => token.text);

/** The raw text of a member of the outermost object. */
function memberOf(text: string, name: string): string {
  let depth = 0;
  let last = '';
  let from = -1;
  for (const token of walk(text)) {
    if (token.text === ':' && depth === 1 && from === -1 && last === JSON.stringify(name))
      from = token.from + 1;
    if (from !== -1 && depth === 1 && (token.text === ',' || token.text === '}'))
      return text.slice(from, token.from);
    if (token.text === '{' || token.text === '[') depth += 1;
    if (token.text === '}' || token.text === ']') depth -= 1;
    last = token.text;
  }
  throw new Error(`no member ${name}: ${text.slice(0, 300)}`);
}

/** The raw text of a member of members: `sliceOf(answer, 'last_error', 'body')`. */
export const sliceOf = (text: string, ...path: string[]): string => path.reduce(memberOf, text);

/** A value that holds no other, and every key: where it is, and how it is written. */
export type Leaf = readonly [place: string, token: string];

/** All leaves and keys in their order, repeated members too. */
export function leavesOf(text: string): Leaf[] {
  const leaves: Leaf[] = [];
  const path: { name: string; index: number }[] = [];
  const tokens = tokensOf(text);
  const place = () => path.map(({ name, index }) => (name === '' ? index : name)).join('/');
  tokens.forEach((token, at) => {
    const top = path.at(-1);
    if (token === ',' && top !== undefined) top.index += 1;
    else if (token === '{' || token === '[') {
      path.push({ name: '', index: 0 });
      if (tokens[at + 1] === '}' || tokens[at + 1] === ']')
        leaves.push([place(), `${token}${tokens[at + 1]}`]);
    } else if (token === '}' || token === ']') path.pop();
    else if (tokens[at + 1] === ':' && top !== undefined) {
      leaves.push([`key ${place()}`, token]);
      top.name = token;
    } else if (token !== ':' && token !== ',') leaves.push([place(), token]);
  });
  return leaves;
}

const SHOWN = 8;

/**
 * What became different, for a reader, and how much of it; `expect(damage(before,
 * after)).toEqual([])`.
 */
export function damage(before: string, after: string): string[] {
  if (before === after) return [];
  const wanted = leavesOf(before);
  const got = leavesOf(after);
  const changed = wanted.flatMap(([place, token], index) => {
    const found = got[index]?.[1];
    return found === token
      ? []
      : [`${place}: ${shorten(token)} became ${shorten(found ?? 'nothing')}`];
  });
  if (got.length !== wanted.length) changed.push(`${wanted.length} leaves became ${got.length}`);
  return changed.length <= SHOWN
    ? changed
    : [`${changed.length} of ${wanted.length}`, ...changed.slice(0, SHOWN)];
}

export const shorten = (text: string) =>
  text.length > 90 ? `${text.slice(0, 60)}…${text.slice(-20)}` : text;

/** The first token that differs, in words; undefined when all are the same. */
export function firstDifference(expected: string, actual: string): string | undefined {
  if (expected === actual) return undefined;
  const wanted = tokensOf(expected);
  const got = tokensOf(actual);
  const at = wanted.findIndex((token, index) => token !== got[index]);
  if (at === -1 && wanted.length === got.length) return undefined;
  const near = at === -1 ? wanted.length : at;
  return `token ${near}: ${shorten(wanted[near] ?? 'the end')} became ${shorten(got[near] ?? 'the end')}`;
}

const OUTER = ' \t\r\n';
/**
 * Without blanks around the document and without a byte order mark, as text of
 * characters.
 */
export function bare(text: string): string {
  let [begin, end] = [text.startsWith('\ufeff') ? 1 : 0, text.length];
  while (begin < end && OUTER.includes(text.charAt(begin))) begin += 1;
  while (begin < end && OUTER.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(begin, end);
}

/** One character for each byte, so that bytes can be compared as text. */
export const bytesOf = (text: string) => Buffer.from(text).toString('latin1');
