import {
  type CheckRequest,
  type CheckResponse,
  OUTCOMES,
  POLICY_PATHS,
  type RuleDecision,
} from '@gatehouse/contracts';
import { evaluatePolicy } from '@gatehouse/policy-engine';
import type { Dispatcher } from 'undici';
import type { Upstream } from './config.ts';
import { type Call, postJson, type Target, unusable } from './post-json.ts';

/**
 * Judges one step.
 * @throws NoAnswer when there is no usable answer, so that nothing is allowed.
 */
export type Policy = (check: CheckRequest, call: Call) => Promise<CheckResponse>;

/** The same evaluation as the policy service's, in this process. */
export const inProcessPolicy: Policy = async (check) => evaluatePolicy(check);

/** Asks a policy service; only a 200 with a decision is an answer. */
export function httpPolicy(
  { baseUrl, timeoutMs, headers }: Upstream,
  dispatcher: Dispatcher,
): Policy {
  const url = `${baseUrl}${POLICY_PATHS.check}`;
  const target: Target = {
    name: 'policy',
    url,
    timeoutMs,
    headers,
    dispatcher,
    consequence: () => 'The action was not sent.',
  };
  return async (check, call) => {
    const answer = await postJson(target, check, call);
    const { status, document } = answer;
    if (status !== 200 || !isCheckResponse(document)) throw unusable(target, answer);
    return { decision: document.decision, rules: document.rules };
  };
}

function isCheckResponse(document: unknown): document is CheckResponse {
  const { decision, rules } = Object(document) as Partial<CheckResponse>;
  return isOutcome(decision) && Array.isArray(rules) && rules.every(isRuleDecision);
}

function isRuleDecision(document: unknown): document is RuleDecision {
  const { rule, outcome, detail } = Object(document) as Partial<RuleDecision>;
  return typeof rule === 'string' && isOutcome(outcome) && typeof detail === 'string';
}

function isOutcome(word: unknown): boolean {
  return OUTCOMES.some((outcome) => outcome === word);
}
