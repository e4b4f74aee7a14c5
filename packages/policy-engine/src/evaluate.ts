import type { CheckRequest, CheckResponse } from '@gatehouse/contracts';
import { stricter } from './outcome.ts';
import { defaultProfile, type Profile } from './profile.ts';
import { connectorScope } from './rules/connector-scope.ts';
import { legalCompliance } from './rules/legal-compliance.ts';
import { piiGuardrail } from './rules/pii-guardrail.ts';
import { spendLimit } from './rules/spend-limit.ts';

/**
 * Judges a request that is known to match the `CheckRequest` schema; for anything else
 * use `checkPolicy`. Every rule answers, in the order of spec section 2, so that a deny
 * never hides another answer; the connector rule has no entry when its section is absent.
 * The strictest answer is the overall decision.
 */
export function evaluatePolicy(
  request: CheckRequest,
  profile: Profile = defaultProfile,
): CheckResponse {
  const spend = spendLimit(request.spend, profile);
  const pii = piiGuardrail(request.pii, profile);
  const legal = legalCompliance(request.legal, profile);
  const decision = stricter(stricter(spend.outcome, pii.outcome), legal.outcome);
  if (request.connector == null) return { decision, rules: [spend, pii, legal] };

  const connector = connectorScope(request.connector, profile);
  return { decision: stricter(decision, connector.outcome), rules: [spend, pii, legal, connector] };
}
