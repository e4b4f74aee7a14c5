import {
  ActionArguments,
  DryRun,
  ExecuteQuery,
  FailureOutcome,
  SuccessOutcome,
} from '@gatehouse/contracts';
import { oneOfBy, responseOf, TRACE_HEADERS, withExamples } from '@gatehouse/service';

const REQUESTS = {
  get: {
    summary: 'Read something',
    value: { method: 'GET', url: 'http://localhost:8081/healthz' },
  },
  validated: {
    summary: 'Read something that has to have a form',
    value: {
      method: 'GET',
      url: 'http://localhost:8081/healthz',
      headers: { accept: 'application/json' },
      response_schema: { type: 'object', required: ['status'] },
    },
  },
  post: {
    summary: 'Send something, once',
    value: { method: 'POST', url: 'http://localhost:3000/orders', body: { sku: 7, quantity: 1 } },
  },
};

const NOTHING_LISTENS =
  '`localhost:8999` cannot be used: the connection was refused (ECONNREFUSED). Nothing was sent.';

const refused = (attempt: number, delay_ms: number) => ({
  attempt,
  classification: 'connect',
  delay_ms,
  duration_ms: 2,
});

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

const OUTCOMES = {
  success: {
    summary: 'A success',
    value: {
      outcome: 'success',
      status: 200,
      headers: JSON_HEADERS,
      body: { status: 'ok' },
      attempts: 1,
      history: [],
    },
  },
  http_failure: {
    summary: 'The upstream answered with a failure that is not one to retry',
    value: {
      outcome: 'failure',
      error: 'HttpFailure',
      message: 'The upstream answered with status 404.',
      status: 404,
      headers: JSON_HEADERS,
      body: { error: 'no such order' },
      attempts: 1,
      history: [],
    },
  },
  retries_exhausted: {
    summary: 'Nothing listens there',
    value: {
      outcome: 'failure',
      error: 'RetriesExhausted',
      message: `All 3 attempts failed. The last: ${NOTHING_LISTENS}`,
      attempts: 3,
      history: [refused(1, 200), refused(2, 400), refused(3, 0)],
      last_error: { error: 'ConnectFailure', message: NOTHING_LISTENS },
    },
  },
  schema_validation_failed: {
    summary: 'The response breaks `response_schema`',
    value: {
      outcome: 'failure',
      error: 'SchemaValidationFailed',
      message: "the body must have required property 'id'",
      status: 200,
      headers: JSON_HEADERS,
      body: { status: 'ok' },
      violations: [{ path: '', message: "the body must have required property 'id'" }],
      attempts: 1,
      history: [],
    },
  },
  dry_run: {
    summary: 'With `dry_run=true`',
    value: {
      outcome: 'dry_run',
      method: 'GET',
      host: 'localhost:8081',
      max_attempts: 3,
      addresses: ['127.0.0.1'],
      message: 'The request would be sent.',
    },
  },
};

const EXECUTE_ANSWER = oneOfBy(
  'outcome',
  { success: SuccessOutcome, failure: FailureOutcome, dry_run: DryRun },
  'ExecuteAnswer',
);

/** `POST /execute`, for validation and for readers. */
export const executeSchema = {
  operationId: 'execute',
  tags: ['executor'],
  summary: 'Send a request from within the sandbox',
  description: [
    'Sends one JSON request and answers with its outcome. Once the request was attempted the answer is 200, whatever the upstream said: its trouble is data, in `outcome`, `error` and `status`. Refusals before anything was sent are problems.',
    'GET, HEAD, PUT, DELETE and OPTIONS are sent up to 3 times, with 200 and 400 milliseconds between, on 429, 5xx, connection errors and timeouts; POST and PATCH are sent once. Redirects are followed up to 5 hops. Bodies of this request have at most HTTP_EXECUTOR_MAX_REQUEST_BYTES (1 MiB unless set), responses HTTP_EXECUTOR_MAX_RESPONSE_BYTES (10 MiB unless set). `GET /sandbox` shows what holds here.',
    'Credentials in `headers` are sent, and show as `REDACTED` wherever the upstream repeats them.',
  ].join('\n\n'),
  body: withExamples(ActionArguments, REQUESTS),
  querystring: ExecuteQuery,
  requestHeaders: TRACE_HEADERS,
  response: { 200: responseOf(EXECUTE_ANSWER, 'The outcome.', OUTCOMES) },
  problems: [
    'InvalidAction',
    'InvalidResponseSchema',
    'HostNotAllowed',
    'AddressNotAllowed',
    'TooManyRequests',
  ] as const,
};
