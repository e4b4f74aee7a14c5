import { at, type ProblemKind } from './problem-kind.ts';

/**
 * Problems that the executor returns if it does not send an action. These texts are the pages and
 * the API documents of the executor service, so they may name its settings. A `Refusal` says what
 * another host calls them (`SettingNames` in `http-executor`).
 */
export const EXECUTOR_PROBLEMS = {
  InvalidAction: {
    status: 400,
    title: 'Invalid action',
    meaning: 'Nothing was sent, because the method, URL, headers or body are invalid.',
    remedy:
      'Correct every violation in `errors`, then send the action again. Each `pointer` is the JSON Pointer of a member to correct.',
    example: [at('/method', 'must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS')],
  },
  InvalidResponseSchema: {
    status: 400,
    title: 'Invalid response schema',
    meaning:
      'Nothing was sent, because `response_schema` is not a valid JSON Schema or uses a feature that this executor does not support. By default, the draft is 2020-12; `$schema` can name another draft. A `$ref` may refer only to a part of the same schema, because the executor never fetches schemas.',
    remedy: 'Correct the schema as described in `errors`, or omit the schema.',
    example: [at('/response_schema', 'has 262159 bytes, but may have 262144')],
  },
  HostNotAllowed: {
    status: 403,
    title: 'Host not allowed',
    meaning: "The URL's host is not on this executor's allowlist. Nothing was sent.",
    remedy:
      'Ask an operator to add the host to the setting that `detail` names. Write the host in canonical form, such as `127.0.0.1` instead of `0x7f.1`. `detail` shows the canonical form, and `GET /sandbox` lists all allowed hosts.',
    example:
      'The host `example.com` is not on the allowlist; ask an operator to add it to HTTP_EXECUTOR_ALLOWED_HOSTS. Spelling the URL differently or using a redirect will not help.',
  },
  DestinationNotAllowed: {
    status: 403,
    title: 'Destination not allowed',
    meaning:
      'No destination of this executor allows this combination of host, path, method and caller. Nothing was sent.',
    remedy:
      'Send only a request that `detail` lists as allowed. `GET /sandbox` shows all destinations that you may use. Only an operator can allow more requests, by editing the destinations file.',
    example:
      'No destination for `api.github.com` allows the path `/admin`; allowed: `/user`, `/repos/acme/**`. Spelling the URL differently or using a redirect will not help.',
  },
  AddressNotAllowed: {
    status: 403,
    title: 'Address not allowed',
    meaning:
      'The host is on the allowlist, but resolves to an address that is not allowed, such as a private or loopback address. Nothing was sent.',
    remedy:
      'Ask an operator to add the network to the setting that `detail` names. To allow a cloud metadata service, the operator must list the IP address of the service as an allowed host. Spelling the URL differently or using a redirect will not help. No setting lets an action reach the executor itself.',
    example:
      'The host `localhost` is refused: the URL leads back to this executor itself, and no setting can allow this. Spelling the URL differently or using a redirect will not help.',
  },
  TooManyRequests: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'Nothing was sent. Too many executions are in flight (in total or for this host), or you exceeded the per-minute limit of this destination.',
    remedy: 'Send the request again after the number of seconds in `Retry-After`.',
    example:
      'Nothing was sent, because too many executions are in flight for `localhost:3000` (HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: 256) and no slot became free within 1000 ms; send the action again later.',
  },
  InvalidIdempotencyKey: {
    status: 400,
    title: 'Invalid idempotency key',
    meaning: 'Nothing was sent, because the `idempotency-key` header is malformed or repeated.',
    remedy: 'Send one key of 1 to 255 visible ASCII characters, such as a UUID.',
    example:
      'Send one `idempotency-key` of 1 to 255 visible ASCII characters without double quotes in it.',
  },
  IdempotencyUnavailable: {
    status: 400,
    title: 'Idempotency unavailable',
    meaning: 'Nothing was sent, because this executor has no store for idempotency keys.',
    remedy: 'Leave the header out, or ask an operator to set up a store.',
    example:
      'Nothing was sent, because this executor has no store for idempotency keys; leave `idempotency-key` out, or ask an operator to set up a store.',
  },
  DecisionRequired: {
    status: 403,
    title: 'Decision required',
    meaning: 'Nothing was sent, because this executor sends only what the policy has allowed.',
    remedy:
      'Send a check with this `action` to the policy service. If the check is allowed, send the `token` of the answer as `x-gatehouse-decision`.',
    example:
      'Nothing was sent, because the decision token in `x-gatehouse-decision` is missing; ask the policy about exactly this action, and send the `token` of its answer.',
  },
  DecisionInvalid: {
    status: 403,
    title: 'Decision invalid',
    meaning:
      'Nothing was sent, because the decision token is forged, malformed, from another issuer or for another caller.',
    remedy:
      'Ask the policy service again, and send the `token` of its answer unchanged. If the problem persists, an operator must compare the keys, issuers and caller names of both services.',
    example:
      'Nothing was sent, because the decision token in `x-gatehouse-decision` was issued to the caller `reporter`, and not to the caller `planner`; ask the policy about exactly this action, and send the `token` of its answer.',
  },
  DecisionExpired: {
    status: 403,
    title: 'Decision expired',
    meaning: 'Nothing was sent, because the decision token has expired.',
    remedy: 'Ask the policy service again, and send the new token at once.',
    example:
      'Nothing was sent, because the decision token in `x-gatehouse-decision` has expired; ask the policy about exactly this action, and send the `token` of its answer.',
  },
  DecisionForAnotherAction: {
    status: 403,
    title: 'Decision for another action',
    meaning:
      'Nothing was sent, because the decision token allows an action with another method, URL, header or body.',
    remedy:
      'Send exactly the action that was checked. To send another action, ask the policy service about it.',
    example:
      'Nothing was sent, because the decision token in `x-gatehouse-decision` allows another action; ask the policy about exactly this action, and send the `token` of its answer.',
  },
  DecisionUsed: {
    status: 403,
    title: 'Decision used',
    meaning:
      'Nothing was sent, because each decision token works once, and each approval allows one execution.',
    remedy:
      'Find out whether the earlier execution did what you want. If not, ask the policy service again.',
    example:
      'Nothing was sent, because the decision token in `x-gatehouse-decision` was already used; only if the action was not carried out yet, ask the policy about it again, and send the `token` of its answer.',
  },
  KeyInProgress: {
    status: 409,
    title: 'Key in progress',
    meaning: 'An execution with this `idempotency-key` is in progress. Nothing was sent again.',
    remedy: 'Repeat the request after `Retry-After` seconds to get the outcome.',
    example:
      'An execution with this `idempotency-key` is in progress; repeat the request after `retry-after` seconds to get its outcome.',
  },
  KeyReused: {
    status: 422,
    title: 'Key reused',
    meaning: 'Nothing was sent, because this `idempotency-key` belongs to another action.',
    remedy: 'Use a new key for each action. To repeat an action, send exactly the same request.',
    example:
      'Nothing was sent, because this `idempotency-key` belongs to another action; use a new key for each action, and repeat an action exactly.',
  },
  StoreUnavailable: {
    status: 503,
    title: 'Store unavailable',
    meaning:
      'Nothing was sent, because the store of idempotency keys and used tokens cannot be reached.',
    remedy:
      'Send the action again later. If the problem persists, an operator must check the store.',
    example:
      'Nothing was sent, because the store of idempotency keys and used tokens cannot be reached; send the action again later.',
  },
  DecisionKeysUnavailable: {
    status: 503,
    title: 'Decision keys unavailable',
    meaning: 'Nothing was sent, because the executor has no usable keys of the policy service.',
    remedy:
      'Send the action again later. If the problem persists, an operator must check HTTP_EXECUTOR_DECISION_KEYS.',
    example:
      'Nothing was sent, because this executor has no usable keys of the policy service yet; send the action again later.',
  },
  CredentialUnavailable: {
    status: 503,
    title: 'Credential unavailable',
    meaning:
      'Nothing was sent, because the secret file or the token endpoint did not supply a usable credential for the destination.',
    remedy:
      'Send the action again later. If the problem persists, an operator must correct the secret file or the token endpoint.',
    example:
      'Nothing was sent, because the credential `github` is unavailable: its secret file is empty. Send the action again later.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ExecutorProblemCode = keyof typeof EXECUTOR_PROBLEMS;
