import { EXECUTOR_PROBLEMS } from './executor-problems.ts';
import { at, type ProblemKind } from './problem-kind.ts';

/** Complete list of problem codes, which clients can rely on (docs/contract.md, "Problems"). */
export const PROBLEMS = {
  ...EXECUTOR_PROBLEMS,
  MalformedJson: {
    status: 400,
    title: 'Malformed JSON',
    meaning:
      'The request body is not a single JSON document, contains an object with two members of the same name, or contains a `__proto__` or `constructor.prototype` key.',
    remedy:
      'Send one valid JSON document in UTF-8. No object may have the same member twice, a `__proto__` member, or a `constructor` member with a `prototype` member in it.',
    example: 'Send a JSON document; the body was empty.',
  },
  MalformedUrl: {
    status: 400,
    title: 'Malformed URL',
    meaning: 'The request line or path is invalid; for example, a `%` escape is incomplete.',
    remedy: 'Percent-encode the path correctly.',
    example: 'Percent-encode the path of the URL correctly.',
  },
  MalformedRequest: {
    status: 400,
    title: 'Malformed request',
    meaning: 'The bytes received are not a well-formed HTTP/1.1 request. The connection is closed.',
    remedy:
      'Send a well-formed request on a new connection. If you use a proxy, check that it forwards requests correctly.',
    example: 'Send a well-formed HTTP/1.1 request.',
  },
  InvalidRequest: {
    status: 400,
    title: 'Invalid request',
    meaning:
      'Nothing was evaluated, because the request does not match the schema of this operation. The service never converts values and never ignores unknown members.',
    remedy:
      'Correct every violation in `errors`, then send the request again. Each `pointer` is the JSON Pointer of a member to correct.',
    example: [at('/spend/currency', 'is required')],
  },
  ApprovalInvalid: {
    status: 400,
    title: 'Approval invalid',
    meaning:
      'The approval or the approval request is forged or malformed. A request is also invalid if it has expired, or if the profile has changed since. Nothing was evaluated or approved.',
    remedy:
      'Send the check again without `approval`, and have the new `approval_request` approved.',
    example:
      'Send the check again without `approval` and use its new `approval_request`, because this approval or request is not one that this service has signed, or is too old.',
  },
  Unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The request has no token or an unknown token. Nothing was evaluated or sent.',
    remedy: 'Ask the operator for a token, and send it as `authorization: Bearer <token>`.',
    example: 'Send a token for this service as `authorization: Bearer <token>`.',
  },
  TokenNotAllowed: {
    status: 403,
    title: 'Token not allowed',
    meaning:
      'This token works only at its own path: a metrics token at `/metrics`, and an approver token at `/policy/approvals`. Nothing was evaluated or sent.',
    remedy: "Send a caller's token as `authorization: Bearer <token>`.",
    example: "Send a caller's token. The token that you sent works only at another path.",
  },
  ApproverRequired: {
    status: 403,
    title: 'Approver required',
    meaning:
      'Only an approver may approve, and never a request of their own. Nothing was approved.',
    remedy: "Ask a person with an approver's token to approve the request.",
    example:
      "Send an approver's token. Only an approver may approve, and never a request of their own.",
  },
  NotFound: {
    status: 404,
    title: 'Not found',
    meaning: 'This path does not exist.',
    remedy: 'Check the spelling of the path. Paths have no trailing slash.',
    example:
      'Use one of the paths of this service: /openapi.json, /docs, /healthz, /readyz, /problems, /metrics.',
  },
  MethodNotAllowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but does not accept this method.',
    remedy: 'Use one of the methods in the `Allow` header of the response.',
    example: 'Use POST for this path.',
  },
  RequestTimeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The service did not receive the whole request in time. The connection is closed.',
    remedy: 'Send the whole request again on a new connection, without pauses.',
    example: 'Send the request without pauses.',
  },
  PayloadTooLarge: {
    status: 413,
    title: 'Payload too large',
    meaning: 'The request body is larger than this service accepts. Nothing was evaluated or sent.',
    remedy: 'Send a smaller body.',
    example: 'Send a body of at most 1048576 bytes.',
  },
  UnsupportedMediaType: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The headers do not declare the request body as uncompressed JSON in UTF-8.',
    remedy:
      'Send `content-type: application/json`, with no `charset` other than `utf-8` and no `content-encoding`.',
    example:
      'Send the body as JSON in UTF-8, with `content-type: application/json` and without `content-encoding`.',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'Request headers too large',
    meaning: 'The URL and the headers of the request are too large.',
    remedy: 'Send a shorter URL, or fewer or shorter headers.',
    example: 'Send a shorter URL, or fewer or shorter headers.',
  },
  InternalError: {
    status: 500,
    title: 'Internal error',
    meaning: 'The service failed unexpectedly. An execution may already have sent its request.',
    remedy:
      'Report the `request_id` to the operator, who can find the cause in the log. Before you repeat an execution, check whether the upstream received the request.',
    example:
      'Report the `request_id` of this error to the operator, who can find the cause in the log. If you called `POST /execute`, the action may already have reached the upstream.',
  },
  Overloaded: {
    status: 503,
    title: 'Overloaded',
    meaning: 'The service is overloaded and rejected the request. Nothing was evaluated or sent.',
    remedy: 'Use another replica, or send the request again after the time in `Retry-After`.',
    example:
      'The request was not processed, because 2000 requests (MAX_IN_FLIGHT) are already in flight; send it again after the time in `retry-after`.',
  },
  NotReady: {
    status: 503,
    title: 'Not ready',
    meaning: 'The service is shutting down, or lacks something that it needs, such as its store.',
    remedy: 'Send the request to another replica, or wait and send it again.',
    example: 'Send the request to another replica, because this one is shutting down.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = (Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]).sort(
  (one, other) => PROBLEMS[one].status - PROBLEMS[other].status,
);
