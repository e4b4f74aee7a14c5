import type { Decision } from '@gatehouse/contracts';
import type { CompiledProfile } from '../profile/compile.ts';
import { entryMatches, lowerAscii } from '../profile/scopes.ts';
import { type Rule, type RuleResult, sectionMissing } from '../rule.ts';

const MISSING = 'The request has no connector section, so the connector is unknown.';

const UNLISTED = { require_approval: 'needs consent', deny: 'is denied' };

/**
 * Applies the first case that fits (`policy-service.md` section 4):
 * 1. A request without `connector` gets the outcome `connector.missing` from the profile. If the
 *    profile says `no_entry`, returns undefined, so the response has no entry for this rule.
 * 2. A missing or blank scope gets the profile's outcome for unlisted scopes.
 * 3. Any other scope gets the outcome that `matchScope` finds.
 */
export const connectorScope: Rule = ({ connector }, compiled) => {
  const { missing, unlisted, allow } = compiled.profile.connector;
  if (connector == null)
    return missing === 'no_entry' ? undefined : sectionMissing(missing, MISSING);
  const scope = (connector.scope ?? '').trim();
  if (scope === '') {
    const detail = `The connector has no scope and ${UNLISTED[unlisted]}.`;
    const facts = scopeRemedy(unlisted, allow);
    return { outcome: unlisted, code: 'scope_missing', detail, facts };
  }
  const shown = printableScope(scope);
  const { outcome, code, verdict } = matchScope(scope, compiled);
  const facts = { scope: shown, ...scopeRemedy(outcome, allow) };
  return { outcome, code, detail: `Scope ${shown} ${verdict}.`, facts };
};

/**
 * Returns the outcome of the first case that applies (docs/contract.md, "Connector scope"):
 * 1. the scope's name (the part before any `/`, `?`, `#`, `:` or `@`) is on the deny list: deny;
 * 2. the whole scope is on the approval list: require_approval;
 * 3. the whole scope is on the allow list: allow;
 * 4. any other scope: the profile's outcome for unlisted scopes (require_approval or deny).
 */
function matchScope(
  scope: string,
  { profile, scopes }: CompiledProfile,
): Pick<RuleResult, 'outcome' | 'code'> & { readonly verdict: string } {
  const lower = lowerAscii(scope);
  const [name = ''] = /^mcp:\/\/[^/?#:@]*/.exec(lower) ?? [];
  if (scopes.deny.some((entry) => entryMatches(entry, name)))
    return { outcome: 'deny', code: 'scope_denied', verdict: 'is sensitive and denied' };
  // Let the list entry `mcp://a*` match the scope `mcp://ab`, but not `mcp://a/b` or `mcp://a?b`.
  const [exact = ''] = /^mcp:\/\/[a-z0-9._-]*$/.exec(lower) ?? [];
  if (scopes.require_approval.some((entry) => entryMatches(entry, exact)))
    return { outcome: 'require_approval', code: 'scope_needs_approval', verdict: 'needs consent' };
  if (scopes.allow.some((entry) => entryMatches(entry, exact)))
    return { outcome: 'allow', code: 'scope_allowed', verdict: 'is allowed' };
  const { unlisted } = profile.connector;
  const verdict = `is not on any list in the profile, so it ${UNLISTED[unlisted]}`;
  return { outcome: unlisted, code: 'scope_unknown', verdict };
}

const SHOWN_CHARS = 128;

/** Shortens a scope and replaces lone surrogates, which strict JSON parsers would refuse. */
function printableScope(scope: string): string {
  return (scope.length > SHOWN_CHARS ? `${scope.slice(0, SHOWN_CHARS)}…` : scope).toWellFormed();
}

const MAX_REMEDY_SCOPES = 20;

function scopeRemedy(outcome: Decision, allow: readonly string[]): RuleResult['facts'] {
  if (outcome === 'allow') return {};
  const exact = allow.filter((entry) => !entry.endsWith('*')).slice(0, MAX_REMEDY_SCOPES);
  return exact.length === 0 ? {} : { remedy: { use_scopes: exact } };
}
