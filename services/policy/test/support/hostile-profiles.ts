/** The most that a profile file may have. */
const MAX_BYTES = 32 * 1024;

/** As many parts as fit. */
function filled(head: string, part: (index: number) => string, tail = ''): string {
  let text = head;
  for (let index = 0; ; index++) {
    const next = text + part(index);
    if (next.length + tail.length > MAX_BYTES) return text + tail;
    text = next;
  }
}

const SCOPES = Array.from({ length: 200 }, (_, index) => `mcp://s${index}*`).join();
const LISTS = `{ deny: [${SCOPES}], require_approval: [${SCOPES}], allow: [${SCOPES}] }`;

/** Profiles `p0` to `p99`, each with the same members. */
const hundred = (first: string, others: string) =>
  Array.from({ length: 100 }, (_, n) => `- { name: p${n}, ${n === 0 ? first : others} }\n`).join(
    '',
  );

/** Files that take long to read, or much memory, though they are small. */
export const HOSTILE_PROFILES: readonly [name: string, text: string][] = [
  [
    'aliases of aliases',
    filled('name: a\ny: 1\nx: [', (n) => `&a${n} [${n && `*a${n - 1}`}],`, ']'),
  ],
  ['a billion laughs', filled('', (n) => `a${n}: &a${n} [${`*a${n && n - 1},`.repeat(10)}]\n`)],
  ['aliases of one map', filled('name: a\na: &a {}\nb: [', () => '*a,', ']')],
  ['anchors of one name', filled('name: a\nb: [', () => '&a 1,*a,', ']')],
  ['members', filled('', (n) => `a${n}: 1\n`)],
  ['members in one line', filled('{', (n) => `a${n},`, '}')],
  ['members without a name', filled('name: a\nb: {', () => '{}: ,', '}')],
  ['a member again and again', filled('', () => 'a: 1\n')],
  ['lists as names', filled('{', () => '[]: 1,', '}')],
  ['lists', filled('[', () => '[],', ']')],
  ['lists in lists', filled('', () => '[')],
  ['lists in lists, by dashes', filled('', () => '- ')],
  ['maps in maps', filled('', () => '{? ')],
  ['maps in maps, by columns', filled('', (n) => `${' '.repeat(n)}a:\n`)],
  ['colons', filled('', () => ':\n')],
  ['tags', filled('', () => '! ')],
  ['directives', filled('', () => '%x\n', '---\nname: a')],
  ['documents', filled('', () => '---\n')],
  ['empty lines', filled('name: a\n', () => '\n')],
  ['a name with escapes', filled('name: "', () => '\\x61', '"')],
  ['callers', filled('default: a\nprofiles: [{ name: a }]\ncallers: {', (n) => `c${n}: a,`, '}')],
  ['currencies', filled('name: a\nspend: { currencies: {', (n) => `C${n}: {},`, '} }')],
  ['odd amounts', filled('name: a\nspend:\n', (n) => `  a${n}_units: 0x1\n`)],
  [
    'a hundred profiles with the scopes of one',
    `default: p0\nprofiles:\n${hundred(`connector: &c ${LISTS}`, 'connector: *c')}`,
  ],
  [
    'a hundred profiles, each of a caller',
    `default: p0\nprofiles:\n${hundred('spend: { limit_major_units: 1 }', 'pii: { missing: deny }')}callers: { ${Array.from({ length: 100 }, (_, n) => `c${n}: p${n}`).join()} }\n`,
  ],
];
