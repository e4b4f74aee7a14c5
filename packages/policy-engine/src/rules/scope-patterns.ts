import type { Profile } from '@gatehouse/contracts';

const SCHEME = 'mcp://';

/**
 * What the lists of a profile match. Denied are names, whatever follows them; the others
 * match exactly, so that `*` stands for characters of a name alone.
 *
 * INVARIANT: the patterns have the `i` flag without `u`, so only ASCII letters match in
 * both cases. With `u`, `mcp://tasKs` with a Kelvin sign would be an allowed scope.
 */
export function scopePatterns({ deny, require_approval, allow }: Profile['connector']) {
  return {
    deny: anyOf(deny, '', '(?:[/?#:@]|$)'),
    requireApproval: anyOf(require_approval, '[A-Za-z0-9._-]*$', '$'),
    allow: anyOf(allow, '[A-Za-z0-9._-]*$', '$'),
  };
}

/** A pattern for any of the entries; for none, one that never matches. */
function anyOf(entries: readonly string[], afterPrefix: string, afterName: string): RegExp {
  if (entries.length === 0) return /(?!)/;
  const names = entries.map((entry) => entry.slice(SCHEME.length));
  const exact = names.filter((name) => !name.endsWith('*')).map(escaped);
  const prefixes = names
    .filter((name) => name.endsWith('*'))
    .map((name) => escaped(name.slice(0, -1)));
  const either = [
    ...(exact.length === 0 ? [] : [`(?:${exact.join('|')})${afterName}`]),
    ...(prefixes.length === 0 ? [] : [`(?:${prefixes.join('|')})${afterPrefix}`]),
  ];
  return new RegExp(`^${SCHEME}(?:${either.join('|')})`, 'i');
}

function escaped(name: string): string {
  return name.replace(/\W/g, '\\$&');
}
