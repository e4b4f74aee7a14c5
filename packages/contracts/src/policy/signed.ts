import { type Static, Type } from '@sinclair/typebox';
import { Nullish, StrictTitled, Text, Titled } from '../schema.ts';
import { RuleDecision } from './decision.ts';

/** Header with which an execution presents its decision token (docs/contract.md, "Enforcement"). */
export const DECISION_HEADER = 'x-gatehouse-decision';

/** Default of `iss` in everything that a policy service signs. */
export const DEFAULT_ISSUER = 'gatehouse-policy';

/** Signature algorithm of all tokens (RFC 9864). */
export const SIGNATURE_ALGORITHM = 'Ed25519';

/** Header member `typ` and claim `aud` of each kind of token. */
export const DECISION_TOKEN = { typ: 'gatehouse-decision+jwt', aud: 'gatehouse-executor' } as const;
export const APPROVAL_REQUEST = {
  typ: 'gatehouse-approval-request+jwt',
  aud: 'gatehouse-policy',
} as const;
export const APPROVAL = { typ: 'gatehouse-approval+jwt', aud: 'gatehouse-policy' } as const;

const seconds = (description: string) =>
  Type.Number({ minimum: 0, description: `${description}, in seconds since 1970.` });

const issued = {
  iss: Type.String(),
  aud: Type.String(),
  iat: seconds('Time of issue'),
  exp: seconds('Time of expiry'),
};
const digests = {
  action_digest: Text('Digest of the action.'),
  policy_digest: Text('Digest of the profile that decided.'),
  caller: Type.Optional(Text("Name of the caller's token at the policy service.")),
};
const id = (description: string) => Type.String({ minLength: 1, description });
const approval_id = id('Identifies the approval. The same request always gets the same id.');
const approved_until = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z$',
  description: 'End of the approval (RFC 3339, in UTC).',
});

/** Claims of a decision token. */
export const DecisionClaims = Titled('DecisionClaims', {
  ...issued,
  nbf: Type.Optional(seconds('Time before which the token is not valid')),
  jti: id('Identifies the token, which works once.'),
  ...digests,
  approval_id: Type.Optional(approval_id),
  approved_until: Type.Optional(approved_until),
});
export type DecisionClaims = Static<typeof DecisionClaims>;

/** Claims of an approval request: all that a person needs to decide. */
export const ApprovalRequestClaims = Titled('ApprovalRequestClaims', {
  ...issued,
  ...digests,
  jti: id('Identifies the request.'),
  action: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Action, without the values that its digest does not cover.',
  }),
  check: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Check, without `request_id`, `action` and `approval`.',
  }),
  rules: Type.Array(RuleDecision),
});
export type ApprovalRequestClaims = Static<typeof ApprovalRequestClaims>;

/** Claims of an approval. */
export const ApprovalClaims = Titled('ApprovalClaims', {
  ...issued,
  ...digests,
  check_digest: Text('Digest of the check without `request_id`, `action` and `approval`.'),
  rules: Type.Array(Type.String(), { description: 'Rules whose approval was given.' }),
  approval_id,
  approved_by: Text("Name of the approver's token."),
  approved_until,
});
export type ApprovalClaims = Static<typeof ApprovalClaims>;

/** Body of `POST /policy/approvals` (docs/contract.md, "Approval"). */
export const ApproveRequest = StrictTitled('ApproveRequest', {
  approval_request: Text('The `approval_request` from the response to a check.'),
  valid_for_s: Nullish(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'Seconds for which the approval is valid. Default: 900.',
    }),
  ),
});
export type ApproveRequest = Static<typeof ApproveRequest>;

export const ApproveResponse = StrictTitled('ApproveResponse', {
  approval: Text('Approval (a JWS), to be sent as `approval` in the same check.'),
  approval_id,
  approved_by: Text("Name of the approver's token."),
  approved_until,
});
export type ApproveResponse = Static<typeof ApproveResponse>;

/** Public keys of a policy service, as a JSON Web Key Set (RFC 7517). */
export const KeySet = Titled('KeySet', {
  keys: Type.Array(
    Titled('PublicKey', {
      kty: Type.Literal('OKP'),
      crv: Type.Literal('Ed25519'),
      x: Text('Public key, in base64url.'),
      kid: Text('Identifies the key.'),
      alg: Type.Optional(Text('Signature algorithm.')),
      use: Type.Optional(Type.Literal('sig')),
    }),
  ),
});
export type KeySet = Static<typeof KeySet>;

/** Header with which a caller makes an execution happen at most once. */
export const KEY_HEADER = 'idempotency-key';

/** Response header that marks an outcome of an earlier execution with the same key. */
export const REPLAYED_HEADER = 'idempotent-replayed';
