/**
 * Changes only ASCII letters to lower case. `toLowerCase` would also turn the Kelvin sign `\u212a`
 * into `k`, so that `mcp://tas\u212as` would be allowed like `mcp://tasks`.
 */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** True if a list entry matches a scope, both in lower case. A final `*` matches any rest. */
export function entryMatches(entry: string, scope: string): boolean {
  return entry.endsWith('*') ? scope.startsWith(entry.slice(0, -1)) : scope === entry;
}
