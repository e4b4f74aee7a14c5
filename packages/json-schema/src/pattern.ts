import { RE2JS } from 're2js';

/** What Ajv asks of a pattern engine. */
export interface Pattern {
  test(text: string): boolean;
  /** Ajv shares the pattern among all places with the same string. */
  toString(): string;
}

/**
 * Matches in linear time where that is possible; look-around, back-references, large counts
 * and rare syntax run in the engine of the platform, which only a time budget can stop.
 * @throws {SyntaxError} when it is not a pattern of ECMAScript.
 */
export function compilePattern(source: string): Pattern {
  const native = nativePattern(source);
  if (!native.unicode || NATIVE_ONLY.test(source)) return native;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(spellOut(source)));
    return { test: (text) => compiled.test(text), toString: () => source };
  } catch {
    return native;
  }
}

/** With the `u` flag, as JSON Schema says; else without, for patterns with needless escapes. */
export function nativePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** `(?i:…)` and halves of surrogate pairs mean something else in RE2. */
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

/** Spells out `.`, `\s` and `\S`, which RE2 reads otherwise; RE2JS translates the rest. */
function spellOut(source: string): string {
  let isInClass = false;
  return source.replace(/\\[\s\S]|[[\].]/g, (token) => {
    if (token === '[' || token === ']') isInClass = token === '[';
    if (isInClass && token === '\\S') throw new SyntaxError('RE2 has no such class');
    return (isInClass ? IN_CLASS : OUTSIDE).get(token) ?? token;
  });
}
