import { at, type ProblemKind } from './problem-kind.ts';

/**
 * Problems that the executor returns if it does not send an action. Each example is what the
 * executor service returns, so it names the service's settings.
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
