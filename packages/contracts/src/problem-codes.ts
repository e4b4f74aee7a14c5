import type { Violation } from './violation.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  /** Advice for the caller. */
  readonly remedy: string;
  /** Example of a `detail`, or of the violations it summarizes; also the default when thrown. */
  readonly example: string | readonly Violation[];
}

const at = (pointer: string, message: string): Violation => ({ pointer, message });

/** Closed list of problem codes (docs/contract.md, "Problems"); clients branch on them. */
export const PROBLEMS = {
  MalformedJson: {
    status: 400,
    title: 'Malformed JSON',
    meaning:
      'The request body is not one JSON document, repeats a member of an object, or has a `__proto__` or `constructor.prototype` key.',
    remedy: 'Send one valid JSON document in UTF-8, with each member once and without such keys.',
    example: 'Send a JSON document as the body; it was empty.',
  },
  MalformedUrl: {
    status: 400,
    title: 'Malformed URL',
    meaning:
      'The request line or the path cannot be read, for example because of an incomplete percent escape.',
    remedy: 'Percent-encode the path correctly.',
    example: 'Encode the path of the URL correctly.',
  },
  MalformedRequest: {
    status: 400,
    title: 'Malformed request',
    meaning: 'The bytes received are not a well-formed HTTP/1.1 request. The connection is closed.',
    remedy:
      'Send a well-formed request on a new connection. Also check the proxies between you and the service.',
    example: 'Send a well-formed HTTP/1.1 request.',
  },
  InvalidRequest: {
    status: 400,
    title: 'Invalid request',
    meaning:
      'The request does not match the schema of this operation. Nothing was evaluated. Values are never converted and unknown members are never ignored.',
    remedy:
      'Correct each violation in `errors`, which points to a member by JSON Pointer, and send the request again.',
    example: [at('/spend/currency', 'is required')],
  },
  InvalidAction: {
    status: 400,
    title: 'Invalid action',
    meaning:
      'The action cannot be sent because its method, URL, headers or body break a rule. Nothing was sent.',
    remedy:
      'Correct each violation in `errors`, which points to a member by JSON Pointer, and send the action again.',
    example: [at('/method', 'must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS')],
  },
  InvalidResponseSchema: {
    status: 400,
    title: 'Invalid response schema',
    meaning:
      '`response_schema` is not a usable JSON Schema (draft 2020-12, or the one that `$schema` names). Only local `$ref`s are resolved; nothing is ever fetched. Nothing was sent.',
    remedy: 'Correct the schema or leave it out.',
    example: [
      at(
        '/response_schema',
        'is not a usable JSON Schema: it has 262159 bytes; the limit is 262144',
      ),
    ],
  },
  Unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning:
      'This service requires a token, and the request has none or a wrong one. Nothing was evaluated or sent.',
    remedy: 'Send a token as `authorization: Bearer <token>`; ask the operator for one.',
    example: 'Send a token of this service as `authorization: Bearer <token>`.',
  },
  HostNotAllowed: {
    status: 403,
    title: 'Host not allowed',
    meaning: 'The host of the URL is not on the allowlist of this executor. Nothing was sent.',
    remedy:
      'Another spelling of the same host will not help: an operator has to add it to HTTP_EXECUTOR_ALLOWED_HOSTS. A host must be in its canonical spelling; if it is not, `detail` shows that spelling. `GET /sandbox` of the executor shows what is allowed.',
    example:
      'The host `example.com` is not on the allowlist; an operator would have to add it to HTTP_EXECUTOR_ALLOWED_HOSTS. Other spellings or routes will not help.',
  },
  AddressNotAllowed: {
    status: 403,
    title: 'Address not allowed',
    meaning:
      'The host is on the allowlist, but it resolves to an address that an allowlisted name may not reach, such as a private or loopback address. Nothing was sent.',
    remedy:
      'Another spelling or route will not help: an operator has to list the network in HTTP_EXECUTOR_ALLOWED_NETWORKS or, for a cloud metadata service, the address itself in HTTP_EXECUTOR_ALLOWED_HOSTS. No setting opens the executor itself.',
    example:
      'The host `localhost` is refused: it is this executor itself, which no setting allows. Other spellings or routes will not help.',
  },
  NotFound: {
    status: 404,
    title: 'Not found',
    meaning: 'This path does not exist.',
    remedy: 'Check its spelling; paths have no trailing slash.',
    example:
      'Use one of the paths of this service: /openapi.json, /docs, /healthz, /readyz, /problems, /metrics.',
  },
  MethodNotAllowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not for this method.',
    remedy: 'Use a method that the `Allow` header of the response lists.',
    example: 'Use POST for this path.',
  },
  RequestTimeout: {
    status: 408,
    title: 'Request timeout',
    meaning:
      'The request did not arrive completely within the time limit. The connection is closed.',
    remedy: 'Send it again on a new connection, without pauses.',
    example: 'Send the request without pauses.',
  },
  PayloadTooLarge: {
    status: 413,
    title: 'Payload too large',
    meaning:
      'The request body is above the size limit of this service. Nothing was evaluated or sent.',
    remedy: 'Send a smaller body.',
    example: 'Send a body of at most 65536 bytes.',
  },
  UnsupportedMediaType: {
    status: 415,
    title: 'Unsupported media type',
    meaning:
      'Request bodies are uncompressed JSON in UTF-8, and the headers of this request declare something else.',
    remedy:
      'Send the header `content-type: application/json`, without another `charset` and without `content-encoding`.',
    example:
      'Send the body as JSON in UTF-8, with `content-type: application/json` and without `content-encoding`.',
  },
  ExpectationFailed: {
    status: 417,
    title: 'Expectation failed',
    meaning:
      'The request has an `Expect` header other than `100-continue`. Nothing was evaluated or sent.',
    remedy: 'Send the request without that header.',
    example: 'Send the request without `expect`, or `100-continue` in it.',
  },
  TooManyRequests: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'This executor has as many executions in flight as it allows, in total or for one host, and none ended in time. Nothing was sent.',
    remedy: 'Wait as long as the `Retry-After` header says, then send the request again.',
    example:
      'Nothing was sent, because 256 executions for `localhost:3000` (HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST) are in flight and none ended within 1000 ms; send the action again after `retry-after`.',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'Request headers too large',
    meaning: 'The header section of the request is too large.',
    remedy: 'Send fewer or shorter headers.',
    example: 'Send fewer or shorter headers.',
  },
  InternalError: {
    status: 500,
    title: 'Internal error',
    meaning:
      'The service failed in an unexpected way. If this was an execution, its request may have been sent.',
    remedy:
      'Report it with its `request_id`; the log of the service has the cause under it. Before you repeat an execution, find out whether its request was sent.',
    example:
      'Report this with its `request_id`, which leads to the cause in the log; if this was an execution, its request may have been sent.',
  },
  Overloaded: {
    status: 503,
    title: 'Overloaded',
    meaning:
      'The service is overloaded and turned this request away at once. Nothing was evaluated or sent.',
    remedy:
      'Wait as long as the `Retry-After` header says, then send the request again, or to another replica.',
    example:
      'Send the request again after `retry-after`: MAX_IN_FLIGHT=2000 requests are in flight.',
  },
  NotReady: {
    status: 503,
    title: 'Not ready',
    meaning: 'The service is starting or shutting down.',
    remedy: 'Send the request to another replica, or again later.',
    example: 'Send the request to another replica, because this one is shutting down.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];
