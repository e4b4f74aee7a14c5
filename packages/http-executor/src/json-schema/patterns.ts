/** Advice for syntax of other regular expressions, which ECMAScript reads differently. */
const FOREIGN: readonly (readonly [syntax: RegExp, advice: string])[] = [
  [/\\A/, 'write `^` instead of `\\A`'],
  [/\\[Zz]/, 'write `$` instead of `\\Z` or `\\z`'],
  [/\(\?P</, 'write `(?<name>…)` instead of `(?P<name>…)`'],
  [/^\^?\(\?[a-z]+\)/, 'leave out `(?i)` and the like, and write both cases, such as `[aA]`'],
  [/\[\[:\^?\w+:\]/, 'write `a-zA-Z` or `\\p{L}` instead of `[:alpha:]`'],
  // Without the `u` flag, an unknown escape means its letter: `\h` matches an h, and `\p` a p.
  [
    /\\[^\W_bBcdDfknrsStuvwWx\d]/,
    'leave out all escapes that are not needed, and `\\h` and the like',
  ],
];

/**
 * Compiles a pattern with the `u` flag, or without it if only that flag makes the pattern invalid,
 * because many published patterns escape characters that need no escape, such as `\-`.
 * @throws {SyntaxError} that says what to write instead
 */
export function compilePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    const escapesRemoved = source.replaceAll('\\\\', '');
    const foreign = FOREIGN.find(([syntax]) => syntax.test(escapesRemoved));
    if (foreign !== undefined) throw new SyntaxError(foreign[1], { cause: error });
    return new RegExp(source);
  }
}

/** Returns the reason to refuse a pattern, if there is one. */
export function reasonForPattern(source: unknown): string | undefined {
  if (typeof source !== 'string') return undefined;
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return `is not an ECMAScript pattern: ${(error as Error).message}`;
  }
}
