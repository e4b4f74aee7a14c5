import { linearPattern, type Pattern } from './linear-pattern.ts';

/**
 * Matches in linear time where that is possible; look-around, back-references and large
 * counts run in the engine of the platform, which only a time budget can stop.
 * @throws {SyntaxError} when it is no pattern of ECMAScript.
 */
export function compilePattern(source: string): Pattern {
  try {
    return linearPattern(source);
  } catch {
    return nativePattern(source);
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
