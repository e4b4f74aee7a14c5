import type { Connector, Outcome, RuleDecision } from '@gatehouse/contracts';
import type { Profile } from '../profile.ts';
import { answer } from './answer.ts';

const SHOWN_LENGTH = 128;

const VERDICTS: Readonly<Record<Outcome, string>> = {
  allow: 'is allowed',
  require_approval: 'is not a listed one and needs consent',
  deny: 'is sensitive and denied',
};

/**
 * The connector guardrail (spec section 4): no scope, or a blank one, needs approval;
 * otherwise the profile judges. A section that is absent has no entry at all;
 * `evaluatePolicy` does not call this rule then.
 */
export function connectorScope({ scope }: Connector, { connectorScopes }: Profile): RuleDecision {
  const trimmed = scope?.trim() ?? '';
  if (trimmed === '') {
    return answer(
      'connector_scope',
      'require_approval',
      'The connector names no scope and needs consent.',
    );
  }
  const outcome = connectorScopes(trimmed);
  return answer('connector_scope', outcome, `Scope ${shown(trimmed)} ${VERDICTS[outcome]}.`);
}

/**
 * Shortened, and without the half characters that a caller may send or a cut may leave:
 * strict readers refuse them.
 */
function shown(scope: string): string {
  return (scope.length > SHOWN_LENGTH ? `${scope.slice(0, SHOWN_LENGTH)}…` : scope).toWellFormed();
}
