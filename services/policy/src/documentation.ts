import {
  ApproveRequest,
  ApproveResponse,
  BatchRequest,
  BatchResponse,
  CheckRequest,
  CheckResponse,
  CURRENCY_FORMAT,
  DIGEST_HEADER,
  ExplainQuery,
  KeySet,
  ProfileInForce,
} from '@gatehouse/contracts';
import {
  type Check,
  CURRENCY_CODES,
  compileProfile,
  defaultProfile,
  evaluate,
  toResponse,
} from '@gatehouse/policy';
import { type Documentation, exampleProblem, responseOf, withExamples } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };

const { limit_major_units, ceiling_major_units } = defaultProfile.spend;

const TAG = { name: 'policy', description: 'Decides whether an action is allowed.' };

const ALLOWED: Check = {
  spend: { amount_minor_units: 8750, currency: 'EUR' },
  pii: { categories: ['basic_contact'] },
  legal: { flags: [] },
  connector: { scope: 'mcp://calendar' },
};
const APPROVAL: Check = {
  request_id: 'plan-7/step-2',
  spend: { amount_minor_units: 25000, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};
const DENIED: Check = {
  spend: { amount_minor_units: 60000, currency: 'JPY' },
  pii: { categories: ['biometric'] },
};

const examplesOf = <T>(show: (check: Check) => T) => ({
  allow: { summary: 'Every guardrail allows the action', value: show(ALLOWED) },
  require_approval: { summary: 'The amount is above the limit', value: show(APPROVAL) },
  deny: {
    summary: 'The amount is above the ceiling, and the action uses biometric data',
    value: show(DENIED),
  },
});
const CHECKS = examplesOf((check) => check);
const DECISIONS = examplesOf((check) => toResponse(evaluate(check)));

const DIGEST = {
  [DIGEST_HEADER]: { type: 'string', description: 'Digest of the profile in force.' },
};

export const checkSchema = {
  operationId: 'checkPolicy',
  tags: [TAG.name],
  summary: 'Check an action against the policy',
  description: [
    'Checks the spending, personal data, legal flags and connector of an action. The response has an outcome for each guardrail. The decision (`allow`, `require_approval` or `deny`) is the strictest outcome. Any valid request gets a 200, even if the decision is `deny`.',
    'If `spend`, `pii` or `legal` is missing or `null`, the action needs approval. With the default profile, a request without `connector` gets no outcome for the connector. An empty list, such as `"flags": []`, states that nothing applies.',
    `Amounts are whole numbers of minor units from 0 to 2^53-1. For example, 8750 means EUR 87.50, JPY 8750 or KWD 8.750. The spending limit is \`user_limit_minor_units\`, or ${limit_major_units} major units if that member is missing or \`null\`. Amounts up to the limit are allowed. Amounts above the limit, but not above the ceiling (${ceiling_major_units} major units), need approval. Amounts above the ceiling are denied.`,
    `The limits above come from the default profile. \`GET /policy/profile\` shows the profile in force, and the response header \`${DIGEST_HEADER}\` contains the digest of that profile. \`?explain=true\` adds a stable code for each rule, the values compared, and a remedy.`,
    'The service refuses a request that contains unknown JSON members. The service also refuses values of the wrong type, such as the string `"1"` instead of the number 1. `POLICY_MAX_REQUEST_BYTES` limits the size of a body (1 MiB by default).',
  ].join('\n\n'),
  querystring: ExplainQuery,
  body: withExamples(CheckRequest, CHECKS),
  response: { 200: { ...responseOf(CheckResponse, 'The decision.', DECISIONS), headers: DIGEST } },
  problems: ['InvalidRequest', 'ApprovalInvalid'] as const,
};

export const batchSchema = {
  operationId: 'checkPolicyBatch',
  tags: [TAG.name],
  summary: 'Check several actions at once',
  description: [
    'Evaluates up to 100 checks independently under the same profile. `results` has one entry per check, in the same order. Each entry is either the decision that the check would get if it were sent alone, or a problem (`InvalidRequest` or `ApprovalInvalid`).',
    'The whole batch is refused if its body is larger than `POLICY_MAX_REQUEST_BYTES` (1 MiB by default), repeats a member or contains, outside an action, a number that parsing would change.',
  ].join('\n\n'),
  querystring: ExplainQuery,
  body: withExamples(BatchRequest, {
    two: {
      summary: 'One check is allowed, the other is denied',
      value: { checks: [ALLOWED, DENIED] },
    },
  }),
  response: {
    200: {
      ...responseOf(BatchResponse, 'The decisions and problems.', {
        two: {
          summary: 'One check is allowed, the other is denied',
          value: { results: [DECISIONS.allow.value, DECISIONS.deny.value] },
        },
        malformed: {
          summary: 'One check is allowed, the other is malformed',
          value: { results: [DECISIONS.allow.value, exampleProblem('InvalidRequest')] },
        },
      }),
      headers: DIGEST,
    },
  },
  problems: ['InvalidRequest'] as const,
};

export const profileSchema = {
  operationId: 'getProfile',
  tags: [TAG.name],
  summary: 'Show the profile in force',
  description:
    'Returns the profile that applies to this caller, including defaults. An operator can change the profile with a profile file.',
  response: {
    200: {
      ...responseOf(ProfileInForce, 'The profile and its digest.', {
        default: {
          summary: 'The default profile',
          value: { profile: defaultProfile, digest: compileProfile(defaultProfile).digest },
        },
      }),
      headers: DIGEST,
    },
  },
};

export const keysSchema = {
  operationId: 'getKeys',
  tags: [TAG.name],
  summary: 'Get the public keys',
  description:
    'Returns the public keys with which executors verify decision tokens, as a JSON Web Key Set (RFC 7517). The list is empty if the service has no signing key. Needs no token.',
  response: { 200: responseOf(KeySet, 'The keys.') },
};

export const approvalsSchema = {
  operationId: 'approve',
  tags: [TAG.name],
  summary: 'Approve an action',
  description:
    "Approves the action in an `approval_request`, for a limited time and once. Needs an approver's token. Show the approver the action and the check from the signed request, never from the caller's copy. The caller then sends `approval` in the same check.",
  body: ApproveRequest,
  response: { 201: responseOf(ApproveResponse, 'The approval.') },
  problems: ['InvalidRequest', 'ApprovalInvalid', 'ApproverRequired'] as const,
};

const CODES = [...CURRENCY_CODES, ...CURRENCY_CODES.map((code) => code.toLowerCase())];

export const documentation: Documentation = {
  title: 'Gatehouse policy service',
  description:
    'Checks the spending, personal data, legal flags and connector of an action. The response has an outcome for each guardrail and an overall decision. Every error response is a problem document (RFC 9457). The `type` of a problem is the path of a page that explains the problem. Unknown paths get `NotFound`, and wrong methods get `MethodNotAllowed` with an `Allow` header.',
  version: manifest.version,
  license: manifest.license,
  tags: [TAG],
  formats: { [CURRENCY_FORMAT]: { pattern: `^(?:${CODES.join('|')})$` } },
};
