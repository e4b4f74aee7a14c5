/**
 * Changes only ASCII letters to lower case. `toLowerCase` would also turn a Kelvin sign into `k`,
 * so that `mcp://tasks` with that sign would be an allowed scope.
 */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** True if an entry of a list matches a scope, both in lower case. A final `*` matches any rest. */
export function entryMatches(entry: string, scope: string): boolean {
  return entry.endsWith('*') ? scope.startsWith(entry.slice(0, -1)) : scope === entry;
}
