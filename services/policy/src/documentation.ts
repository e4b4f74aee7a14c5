import {
  BatchRequest,
  BatchResponse,
  CheckRequest,
  CheckResponse,
  CURRENCY_FORMAT,
  DIGEST_HEADER,
  ExplainQuery,
  ProfileInForce,
} from '@gatehouse/contracts';
import {
  CURRENCY_CODES,
  compileProfile,
  defaultProfile,
  evaluate,
  toResponse,
} from '@gatehouse/policy-engine';
import { type Documentation, exampleProblem, responseOf, withExamples } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };

const { limit_major_units, ceiling_major_units } = defaultProfile.spend;

const TAG = { name: 'policy', description: 'Whether an action may be taken.' };

const ALLOWED: CheckRequest = {
  spend: { amount_minor_units: 8750, currency: 'EUR' },
  pii: { categories: ['basic_contact'] },
  legal: { flags: [] },
  connector: { scope: 'mcp://calendar' },
};
const APPROVAL: CheckRequest = {
  request_id: 'plan-7/step-2',
  spend: { amount_minor_units: 25000, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};
const DENIED: CheckRequest = {
  spend: { amount_minor_units: 60000, currency: 'JPY' },
  pii: { categories: ['biometric'] },
};

const examplesOf = <T>(show: (check: CheckRequest) => T) => ({
  allow: { summary: 'Within every guardrail', value: show(ALLOWED) },
  require_approval: { summary: 'Above the limit', value: show(APPROVAL) },
  deny: { summary: 'Above the ceiling, and biometric', value: show(DENIED) },
});
const CHECKS = examplesOf((check) => check);
const DECISIONS = examplesOf((check) => toResponse(evaluate(check)));

/** `POST /policy/check`, for validation and for readers. */
export const checkSchema = {
  operationId: 'checkPolicy',
  tags: [TAG.name],
  summary: 'Check an action against the policy',
  description: [
    'Judges what an action would spend and touch: one outcome per guardrail, and the strictest of them as the decision: `allow`, `require_approval` or `deny`. Any valid request gets a 200, a deny too.',
    'A missing section needs approval, except `connector`, which is then skipped; an empty list claims that there is nothing; `null` counts as missing.',
    `Amounts are whole numbers of minor units, 0 to 2^53-1: 8750 is EUR 87.50, JPY 8750 and KWD 8.750. Up to the limit (${limit_major_units} major units, or \`user_limit_minor_units\`) they are allowed, up to the ceiling (${ceiling_major_units} major units) they need approval, and above it they are denied.`,
    `That is the default profile; \`GET /policy/profile\` shows the one in force, and \`${DIGEST_HEADER}\` in each answer names it. \`?explain=true\` adds a stable code for each rule, what was compared, and what would be allowed.`,
    'Values are never converted and unknown members are never ignored. Bodies have at most 64 KiB.',
  ].join('\n\n'),
  querystring: ExplainQuery,
  body: withExamples(CheckRequest, CHECKS),
  response: { 200: responseOf(CheckResponse, 'The decision.', DECISIONS) },
  problems: ['InvalidRequest'] as const,
};

/** Contract, section 1: bodies of checks are small. */
export const MAX_CHECK_BYTES = 64 * 1024;

/** The body of a batch: four times that of a single check; typical ones need a tenth of it. */
export const MAX_BATCH_BYTES = 256 * 1024;

/** `POST /policy/check/batch`. */
export const batchSchema = {
  operationId: 'checkPolicyBatch',
  tags: [TAG.name],
  summary: 'Check several actions at once',
  description: [
    'Up to 100 checks, each judged by itself and under the same profile: `results` has, in their order, the decision that each alone would get, or its problem (`InvalidRequest`, `PayloadTooLarge`).',
    `Bodies have at most ${MAX_BATCH_BYTES / 1024} KiB, and each check at most 64 KiB as compact JSON. A body that is not exact JSON (a repeated member, a number that parsing would change) is refused as a whole.`,
  ].join('\n\n'),
  querystring: ExplainQuery,
  body: withExamples(BatchRequest, {
    two: { summary: 'One is allowed, one denied', value: { checks: [ALLOWED, DENIED] } },
  }),
  response: {
    200: responseOf(BatchResponse, 'The decisions and problems.', {
      two: {
        summary: 'One is allowed, one denied',
        value: { results: [DECISIONS.allow.value, DECISIONS.deny.value] },
      },
      malformed: {
        summary: 'One is allowed, one malformed',
        value: { results: [DECISIONS.allow.value, exampleProblem('InvalidRequest')] },
      },
    }),
  },
  problems: ['InvalidRequest'] as const,
};

/** `GET /policy/profile`. */
export const profileSchema = {
  operationId: 'getProfile',
  tags: [TAG.name],
  summary: 'Show the profile in force',
  description:
    'What the rules judge this caller by, defaults included. An operator changes it by a profile file.',
  response: {
    200: responseOf(ProfileInForce, 'The profile and its digest.', {
      default: {
        summary: 'The default profile',
        value: { profile: defaultProfile, digest: compileProfile(defaultProfile).digest },
      },
    }),
  },
};

/** What people read about the policy service at `/docs`. */
export const documentation: Documentation = {
  title: 'Gatehouse policy service',
  description:
    'Judges what an action would spend and touch: one decision per guardrail and an overall one. Every error is a problem (RFC 9457); its `type` is a path of this service with a page about it. Unknown paths get `NotFound`, wrong methods `MethodNotAllowed` with an `Allow` header.',
  version: manifest.version,
  license: manifest.license,
  tags: [TAG],
  formats: { [CURRENCY_FORMAT]: { pattern: `^(?:${CURRENCY_CODES.join('|')})$` } },
};
