import type { Profile } from '@gatehouse/contracts';

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
  const exact = entries.filter((entry) => !entry.endsWith('*')).map(escaped);
  const prefixes = entries
    .filter((entry) => entry.endsWith('*'))
    .map((entry) => escaped(entry.slice(0, -1)));
  const either = [
    ...(exact.length === 0 ? [] : [`(?:${exact.join('|')})${afterName}`]),
    ...(prefixes.length === 0 ? [] : [`(?:${prefixes.join('|')})${afterPrefix}`]),
  ];
  return new RegExp(`^(?:${either.join('|')})`, 'i');
}

function escaped(text: string): string {
  return text.replace(/\W/g, '\\$&');
}
