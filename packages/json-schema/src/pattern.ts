import { RE2JS } from 're2js';

interface Pattern {
  test(text: string): boolean;
  /** Returns the source, by which Ajv recognizes equal patterns and compiles them only once. */
  toString(): string;
}

/**
 * Compiles a pattern for RE2, which matches in linear time. Patterns with look-around,
 * back-references, large counts or rare syntax run in V8 instead, where only the time budget can
 * stop them.
 * @throws {SyntaxError} if the source is not an ECMAScript pattern
 */
export function compilePattern(source: string): Pattern {
  const native = nativePattern(source);
  if (!native.unicode || NATIVE_ONLY.test(source)) return native;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(expandClasses(source)));
    return { test: (text) => compiled.test(text), toString: () => source };
  } catch {
    return native;
  }
}

/** Uses the `u` flag, as JSON Schema requires, unless the pattern has escapes that `u` forbids. */
export function nativePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** Matches `(?i:…)` and escapes of surrogates, which RE2 treats differently from V8. */
const NATIVE_ONLY = /\(\?[a-z-]+:|\\u[dD][89a-fA-F]/;

const SPACE =
  String.raw`\t-\r \xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}` +
  String.raw`\x{202f}\x{205f}\x{3000}\x{feff}`;
const LINE_ENDS = String.raw`\n\r\x{2028}\x{2029}`;

const IN_CLASS = new Map([['\\s', SPACE]]);
const OUTSIDE = new Map([
  ['\\s', `[${SPACE}]`],
  ['\\S', `[^${SPACE}]`],
  ['.', `[^${LINE_ENDS}]`],
]);

/** Replaces `.`, `\s` and `\S`, whose meaning differs in RE2. RE2JS translates all other syntax. */
function expandClasses(source: string): string {
  let isInClass = false;
  return source.replace(/\\[\s\S]|[[\].]/g, (token) => {
    if (token === '[' || token === ']') isInClass = token === '[';
    if (isInClass && token === '\\S') throw new SyntaxError('RE2 has no such class');
    return (isInClass ? IN_CLASS : OUTSIDE).get(token) ?? token;
  });
}
