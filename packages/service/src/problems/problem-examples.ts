import {
  PROBLEMS,
  type Problem,
  type ProblemCode,
  problemType,
  type Violation,
} from '@gatehouse/contracts';

interface Example {
  readonly detail: string;
  readonly errors?: Violation[];
}

/** What a caller may read in each problem, apart from what its code settles. */
const EXAMPLES: Record<ProblemCode, Example> = {
  MalformedJson: { detail: 'Send each member of an object once; `currency` is there twice.' },
  MalformedUrl: { detail: 'Encode the path of the URL correctly.' },
  MalformedRequest: { detail: 'Send a well-formed HTTP/1.1 request.' },
  InvalidRequest: {
    detail: 'Correct `/spend/currency`: it is required.',
    errors: [{ pointer: '/spend/currency', message: 'is required' }],
  },
  InvalidAction: {
    detail: 'Correct `/method`: it must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS.',
    errors: [
      {
        pointer: '/method',
        message: 'must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS',
      },
    ],
  },
  InvalidResponseSchema: {
    detail:
      'Correct `/response_schema`: it is not a usable JSON Schema: it is larger than 65536 bytes.',
    errors: [
      {
        pointer: '/response_schema',
        message: 'is not a usable JSON Schema: it is larger than 65536 bytes',
      },
    ],
  },
  Unauthorized: { detail: 'Send a token of this service as `authorization: Bearer <token>`.' },
  HostNotAllowed: {
    detail:
      'The host `example.com` is not on the allowlist; an operator would have to add it to HTTP_EXECUTOR_ALLOWED_HOSTS. Other spellings or routes will not help.',
  },
  AddressNotAllowed: {
    detail:
      'The host `localhost` is refused: it is this executor itself, which no setting opens. Other spellings or routes will not help.',
  },
  NotFound: {
    detail:
      'Use one of the paths of this service: /healthz, /readyz, /problems, /metrics, /openapi.json, /docs.',
  },
  MethodNotAllowed: { detail: 'Use POST for this path.' },
  RequestTimeout: { detail: 'Send the request without pauses.' },
  PayloadTooLarge: { detail: 'Send a body of at most 65536 bytes.' },
  UnsupportedMediaType: {
    detail:
      'Send the body as JSON, with `content-type: application/json`; this request says `text/plain`.',
  },
  ExpectationFailed: { detail: 'Send the request without `expect`, or `100-continue` in it.' },
  TooManyRequests: { detail: 'Send the request again after the time in `Retry-After`.' },
  HeadersTooLarge: { detail: 'Send fewer or shorter headers.' },
  InternalError: {
    detail: 'Report this with its `request_id`; the log of the service has the cause.',
  },
  Overloaded: {
    detail:
      'Send the request again after `retry-after`: 1000 requests are in flight, which is MAX_IN_FLIGHT.',
  },
  NotReady: { detail: 'Send the request to another replica: this one is shutting down.' },
};

const EXAMPLE_ID = '3f1c8b52-7a0e-4d6b-9a55-2e8f0c6d1b47';

/** A document as this problem may have it, for documentation. */
export function exampleProblem(code: ProblemCode): Problem {
  const { status, title } = PROBLEMS[code];
  const { detail, errors } = EXAMPLES[code];
  const document = { type: problemType(code), title, status, detail, code, request_id: EXAMPLE_ID };
  return errors === undefined ? document : { ...document, errors };
}
