import { RE2JS } from 're2js';

type Pattern = { test(text: string): boolean; toString(): string };

/**
 * Compiles a pattern for RE2, which matches in linear time. Patterns with look-around or other
 * syntax unknown to RE2 run in V8 instead, where only the time budget can stop them.
 * @throws {SyntaxError} if the source is not an ECMAScript pattern
 */
export function compilePattern(source: string): Pattern {
  const native = nativePattern(source);
  if (!native.unicode || NATIVE_ONLY.test(source)) return native;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(expandClasses(source)));
    // Ajv calls `toString` to recognize equal patterns, so that each is compiled only once.
    return { test: (text) => compiled.test(text), toString: () => source };
  } catch {
    return native;
  }
}

/** Sets the `u` flag, as JSON Schema requires, unless the pattern has escapes that `u` forbids. */
export function nativePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** Matches `(?i:…)` and surrogate escapes such as `\ud83d`, which RE2 and V8 treat differently. */
const NATIVE_ONLY = /\(\?[a-z-]+:|\\u[dD][89a-fA-F]/;

const SPACE =
  String.raw`\t-\r \xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}` +
  String.raw`\x{202f}\x{205f}\x{3000}\x{feff}`;
const LINE_ENDS = String.raw`\n\r\x{2028}\x{2029}`;

const OUTSIDE_CLASS = new Map([
  ['\\s', `[${SPACE}]`],
  ['\\S', `[^${SPACE}]`],
  ['.', `[^${LINE_ENDS}]`],
]);

/** Replaces `.`, `\s` and `\S`, whose meaning differs in RE2. RE2JS translates all other syntax. */
function expandClasses(source: string): string {
  let isInClass = false;
  return source.replace(/\\[\s\S]|[[\].]/g, (token) => {
    if (token === '[' || token === ']') isInClass = token === '[';
    if (!isInClass) return OUTSIDE_CLASS.get(token) ?? token;
    if (token === '\\S') throw new SyntaxError('RE2 has no such class');
    return token === '\\s' ? SPACE : token;
  });
}
