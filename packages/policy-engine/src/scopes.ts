import type { Outcome } from '@gatehouse/contracts';

/** The outcome for a connector scope that is not blank. */
export type ScopePolicy = (scope: string) => Outcome;

/** Scopes by name, the `<name>` of `mcp://<name>`. */
export interface ScopeNames {
  /** Allowed as exactly `mcp://<name>`. */
  readonly allowed: readonly string[];
  /** Denied whatever follows the name. */
  readonly denied: readonly string[];
}

/**
 * Judges scopes (contract section 2), in this order: a denied name, ended by `/ ? # : @`
 * or by the end of the scope: deny; exactly an allowed scope: allow; anything else:
 * require_approval.
 *
 * INVARIANT: the patterns ignore case without the `u` flag, which folds ASCII letters
 * alone; with full Unicode folding `mcp://tasKs`, written with a Kelvin sign, would be an
 * allowed scope.
 */
export function scopePolicy({ allowed, denied }: ScopeNames): ScopePolicy {
  const deniedScope = new RegExp(`^mcp://(?:${alternatives(denied)})(?:[/?#:@]|$)`, 'i');
  const allowedScope = new RegExp(`^mcp://(?:${alternatives(allowed)})$`, 'i');
  return (scope) => {
    if (deniedScope.test(scope)) return 'deny';
    return allowedScope.test(scope) ? 'allow' : 'require_approval';
  };
}

/** A pattern for any of the names; of no names, one that never matches. */
function alternatives(names: readonly string[]): string {
  return names.length === 0 ? '(?!)' : names.map((name) => name.replace(/\W/g, '\\$&')).join('|');
}
