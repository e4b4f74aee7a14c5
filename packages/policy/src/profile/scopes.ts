/**
 * Converts only the letters A to Z to lower case. `toLowerCase` would also turn the Kelvin sign
 * `\u212a` into `k`, so `mcp://tas\u212as` would be allowed as `mcp://tasks`.
 */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** True if a list entry such as `mcp://a*` matches a scope. Expects lower-case arguments. */
export function entryMatches(entry: string, scope: string): boolean {
  return entry.endsWith('*') ? scope.startsWith(entry.slice(0, -1)) : scope === entry;
}
