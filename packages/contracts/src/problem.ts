import { type Static, Type } from '@sinclair/typebox';
import { SERVICE_PATHS } from './routes.ts';
import { OneOf } from './schema.ts';

/** What a problem code always means, wherever it is raised. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** What happened, for the page under `/problems/`. */
  readonly meaning: string;
  /** What the caller should do about it, likewise. */
  readonly remedy: string;
}

/**
 * The closed list of problem codes (contract, section 1). A code is stable: clients
 * branch on it.
 */
export const PROBLEMS = {
  MalformedJson: {
    status: 400,
    title: 'Malformed JSON',
    meaning:
      'The request body is not one JSON document, an object in it holds a member twice, or there is a `__proto__` or `constructor.prototype` key.',
    remedy: 'Send one valid JSON document in UTF-8, with each member once and without such keys.',
  },
  MalformedUrl: {
    status: 400,
    title: 'Malformed URL',
    meaning:
      'The request line or the path could not be read, for example because of an incomplete percent escape.',
    remedy: 'Encode the path anew.',
  },
  MalformedRequest: {
    status: 400,
    title: 'Malformed request',
    meaning: 'The bytes received are not a well-formed HTTP/1.1 request. The connection is closed.',
    remedy:
      'Send a well-formed request on a new connection; look at what stands between you and the service, too.',
  },
  InvalidRequest: {
    status: 400,
    title: 'Invalid request',
    meaning:
      'The request does not match the schema of this operation. Nothing was evaluated. Values are never converted and unknown members are never ignored.',
    remedy:
      'Correct each violation that `errors` lists, with a JSON Pointer to the member, and send the request again.',
  },
  InvalidAction: {
    status: 400,
    title: 'Invalid action',
    meaning:
      'The action cannot be sent as it stands: its method, URL, headers or body break a rule. Nothing was sent.',
    remedy:
      'Correct each violation that `errors` lists, with a JSON Pointer to the member, and send the action again.',
  },
  InvalidResponseSchema: {
    status: 400,
    title: 'Invalid response schema',
    meaning:
      '`response_schema` is not a usable JSON Schema (draft 2020-12). Only local `$ref`s are resolved, and nothing is ever fetched. Nothing was sent.',
    remedy: 'Correct the schema or leave it out.',
  },
  Unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning:
      'This service takes only callers with a token, and the request had none or a wrong one. Nothing was evaluated or sent.',
    remedy: 'Send a token as `authorization: Bearer <token>`; an operator hands tokens out.',
  },
  HostNotAllowed: {
    status: 403,
    title: 'Host not allowed',
    meaning: 'The host of the URL is not on the allowlist of this executor. Nothing was sent.',
    remedy:
      'Another spelling of the same host will not help: an operator has to add it to HTTP_EXECUTOR_ALLOWED_HOSTS. An allowed host counts in its canonical spelling only, which `detail` shows where that was the fault. `GET /sandbox` shows what is allowed.',
  },
  AddressNotAllowed: {
    status: 403,
    title: 'Address not allowed',
    meaning:
      'The host is on the allowlist, but the address it resolves to is one that an allowlisted name may not reach, such as a private or loopback address. Nothing was sent.',
    remedy:
      'Another spelling or route will not help: an operator has to list the network in HTTP_EXECUTOR_ALLOWED_NETWORKS or, for a cloud metadata service, the address itself in HTTP_EXECUTOR_ALLOWED_HOSTS. No setting opens the executor itself.',
  },
  NotFound: {
    status: 404,
    title: 'Not found',
    meaning: 'There is nothing at this path.',
    remedy: 'Check its spelling; paths have no trailing slash.',
  },
  MethodNotAllowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not for this method.',
    remedy: 'Use a method that the `Allow` header of the answer lists.',
  },
  RequestTimeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The request did not arrive completely in the time allowed. The connection is closed.',
    remedy: 'Send it again on a new connection, without pauses.',
  },
  PayloadTooLarge: {
    status: 413,
    title: 'Payload too large',
    meaning:
      'The request body is above the size limit of this service. Nothing was evaluated or sent.',
    remedy: 'Send a smaller one.',
  },
  UnsupportedMediaType: {
    status: 415,
    title: 'Unsupported media type',
    meaning:
      'Request bodies are JSON in UTF-8, neither compressed nor encoded otherwise, and the request says that its body is something else.',
    remedy:
      'Send the header `content-type: application/json`, without another `charset` and without `content-encoding`.',
  },
  ExpectationFailed: {
    status: 417,
    title: 'Expectation failed',
    meaning:
      'The request has an `Expect` header with something other than `100-continue`. Nothing was evaluated or sent.',
    remedy: 'Send the request without that header.',
  },
  TooManyRequests: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'As many executions as this executor performs at once, in all or for one host, are in flight already, and none ended in time. Nothing was sent.',
    remedy: 'Wait as long as the `Retry-After` header says, then send the request again.',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'Request headers too large',
    meaning: 'The header section of the request is too large.',
    remedy: 'Send fewer or shorter headers.',
  },
  InternalError: {
    status: 500,
    title: 'Internal error',
    meaning: 'The service failed in a way that it did not foresee.',
    remedy:
      'Report it with the `request_id` of the answer; the log of the service holds the cause under it.',
  },
  Overloaded: {
    status: 503,
    title: 'Overloaded',
    meaning:
      'The service has more to do than it can bear and turned this request away at once, before anything was evaluated or sent.',
    remedy:
      'Wait as long as the `Retry-After` header says, then send the request again, or to another replica.',
  },
  NotReady: {
    status: 503,
    title: 'Not ready',
    meaning: 'The service is starting or shutting down.',
    remedy: 'Send the request to another replica, or again later.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/**
 * The stable URI reference of a problem: `InvalidAction` → `/problems/invalid-action`.
 */
export function problemType(code: ProblemCode): string {
  return `${SERVICE_PATHS.problems}/${code.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`;
}

/** One thing that is wrong with a document, and where. */
export const Violation = Type.Object(
  {
    pointer: Type.String({
      description: 'JSON Pointer (RFC 6901) to the offending or missing member.',
    }),
    message: Type.String({ description: 'What the member has to be.' }),
  },
  { title: 'Violation' },
);
export type Violation = Static<typeof Violation>;

/** A problem lists at most this many violations (contract, section 1). */
export const MAX_VIOLATIONS = 20;

/** Escapes one key for use in a JSON Pointer (RFC 6901). */
export function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A pointer is shown in a sentence up to this length, and in full in `errors`. */
const SHOWN_POINTER = 200;

/** The one sentence that says what to correct first, and how much more there is. */
export function correction(violations: readonly Violation[]): string {
  const [first, ...others] = violations;
  if (first === undefined) return 'Correct the body.';
  const where = first.pointer === '' ? 'the body' : `\`${first.pointer.slice(0, SHOWN_POINTER)}\``;
  const more =
    others.length > 0
      ? `, and ${Math.min(others.length, MAX_VIOLATIONS - 1)} more listed in \`errors\``
      : '';
  return `Correct ${where}: it ${first.message}${more}.`;
}

/** RFC 9457 problem details, media type `application/problem+json`. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'URI reference of a page about this problem.' }),
    title: Type.String({
      description: 'The kind of problem, for people; the same whenever `code` is.',
    }),
    status: Type.Integer({ description: 'The HTTP status of the answer.' }),
    detail: Type.String({ description: 'One sentence that says what to change.' }),
    code: OneOf(PROBLEM_CODES, { description: 'Stable, for programs.' }),
    request_id: Type.String({
      description: 'The `x-request-id` of the answer, under which the log has more.',
    }),
    errors: Type.Optional(
      Type.Array(Violation, { description: `Every violation, at most ${MAX_VIOLATIONS}.` }),
    ),
  },
  { title: 'Problem' },
);
export type Problem = Static<typeof Problem>;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';
