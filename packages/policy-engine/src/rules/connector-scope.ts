import type { Outcome } from '@gatehouse/contracts';
import type { Profile, ScopeNames } from '../profile.ts';
import type { Rule } from '../rule.ts';

const RULE = 'connector_scope';

const SHOWN_LENGTH = 128;

const VERDICTS: Readonly<Record<Outcome, string>> = {
  allow: 'is allowed',
  require_approval: 'is not a listed one and needs consent',
  deny: 'is sensitive and denied',
};

/**
 * The connector guardrail (spec section 4), in this order:
 * 1. no section: no entry;
 * 2. no scope, or a blank one: require_approval;
 * 3. otherwise the lists of the profile decide.
 */
export function connectorScope({ connectorScopes }: Profile): Rule {
  const judge = scopeJudge(connectorScopes);
  return ({ connector }) => {
    if (connector == null) return undefined;
    const scope = connector.scope?.trim() ?? '';
    if (scope === '') {
      const detail = 'The connector names no scope and needs consent.';
      return { rule: RULE, outcome: 'require_approval', detail };
    }
    const outcome = judge(scope);
    return { rule: RULE, outcome, detail: `Scope ${shown(scope)} ${VERDICTS[outcome]}.` };
  };
}

/**
 * Judges scopes (contract section 2), in this order:
 * 1. a denied name, then one of `/ ? # : @` or the end: deny;
 * 2. exactly an allowed scope: allow;
 * 3. anything else: require_approval.
 *
 * INVARIANT: the patterns have the `i` flag without `u`, so only ASCII letters match in
 * both cases. With `u`, `mcp://tasKs` with a Kelvin sign would be an allowed scope.
 */
function scopeJudge({ allowed, denied }: ScopeNames): (scope: string) => Outcome {
  const deniedScope = new RegExp(`^mcp://(?:${alternatives(denied)})(?:[/?#:@]|$)`, 'i');
  const allowedScope = new RegExp(`^mcp://(?:${alternatives(allowed)})$`, 'i');
  return (scope) => {
    if (deniedScope.test(scope)) return 'deny';
    return allowedScope.test(scope) ? 'allow' : 'require_approval';
  };
}

/** A pattern for any of the names; for no names, one that never matches. */
function alternatives(names: readonly string[]): string {
  return names.length === 0 ? '(?!)' : names.map((name) => name.replace(/\W/g, '\\$&')).join('|');
}

/** Shortened, and well-formed: strict readers refuse half of a surrogate pair. */
function shown(scope: string): string {
  return (scope.length > SHOWN_LENGTH ? `${scope.slice(0, SHOWN_LENGTH)}…` : scope).toWellFormed();
}
