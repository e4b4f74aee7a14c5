import { RE2JS } from 're2js';

type Pattern = { test(text: string): boolean; toString(): string };

/**
 * Compiles a pattern with RE2, which matches in linear time. If RE2 does not support the pattern's
 * syntax, such as look-around, uses V8 instead. `TimeBudget` stops V8 if a match takes too long.
 * @throws {SyntaxError} if the source is not an ECMAScript pattern
 */
export function compilePattern(source: string): Pattern {
  const native = nativePattern(source);
  if (!native.unicode || NATIVE_ONLY.test(source)) return native;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(expandClasses(source)));
    // Ajv uses `toString` to recognize equal patterns and compiles each distinct pattern only once.
    return { test: (text) => compiled.test(text), toString: () => source };
  } catch {
    return native;
  }
}

/** Compiles a pattern with the `u` flag, unless that flag would make the pattern invalid. */
export function nativePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** Matches syntax that means something different in RE2: `(?i:…)`, `\ud83d` and `\k<a>`. */
const NATIVE_ONLY = /\(\?[a-z-]+:|\\u[dD][89a-fA-F]|\\k</;

const SPACE =
  String.raw`\t-\r \xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}` +
  String.raw`\x{202f}\x{205f}\x{3000}\x{feff}`;
const LINE_ENDS = String.raw`\n\r\x{2028}\x{2029}`;

const OUTSIDE_CLASS = new Map([
  ['\\s', `[${SPACE}]`],
  ['\\S', `[^${SPACE}]`],
  ['.', `[^${LINE_ENDS}]`],
]);

/** Rewrites `.`, `\s` and `\S`, which match different characters in RE2 and ECMAScript. */
function expandClasses(source: string): string {
  let isInClass = false;
  return source.replace(/\\[\s\S]|[[\].]/g, (token) => {
    if (token === '[' || token === ']') isInClass = token === '[';
    if (!isInClass) return OUTSIDE_CLASS.get(token) ?? token;
    if (token === '\\S') throw new SyntaxError('RE2 cannot express `\\S` inside a class');
    return token === '\\s' ? SPACE : token;
  });
}
