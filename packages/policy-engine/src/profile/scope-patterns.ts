import type { Profile } from '@gatehouse/contracts';

export interface ScopePatterns {
  readonly deny: RegExp;
  readonly requireApproval: RegExp;
  readonly allow: RegExp;
}

/**
 * Compiles each list of a profile. An entry of `deny` matches a name no matter what follows it.
 * Entries of the other lists must match the whole scope, and their `*` matches only characters that
 * a name may contain.
 *
 * INVARIANT: the patterns have the `i` flag but not `u`, so that case is ignored only for ASCII
 * letters. With `u`, `mcp://tasKs` with a Kelvin sign would be an allowed scope.
 */
export function scopePatterns({
  deny,
  require_approval,
  allow,
}: Profile['connector']): ScopePatterns {
  return {
    deny: scopePattern(deny, '', '(?:[/?#:@]|$)'),
    requireApproval: scopePattern(require_approval, '[A-Za-z0-9._-]*$', '$'),
    allow: scopePattern(allow, '[A-Za-z0-9._-]*$', '$'),
  };
}

function scopePattern(entries: readonly string[], afterPrefix: string, afterName: string): RegExp {
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
