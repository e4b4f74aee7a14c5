import {
  ActionArguments,
  DECISION_HEADER,
  DryRun,
  ExecuteQuery,
  FailureOutcome,
  KEY_HEADER,
  REPLAYED_HEADER,
  SuccessOutcome,
} from '@gatehouse/contracts';
import { MAX_REDIRECTS, RETRY_POLICY } from '@gatehouse/http-executor';
import {
  type Documentation,
  oneOfBy,
  responseOf,
  TRACE_HEADERS,
  withExamples,
} from '@gatehouse/service';
import { Type } from '@sinclair/typebox';
import manifest from '../package.json' with { type: 'json' };

const TAG = { name: 'executor', description: 'Sends requests from within a sandbox.' };

const REQUESTS = {
  get: {
    summary: 'Read a resource and validate it',
    value: {
      method: 'GET',
      url: 'http://localhost:8081/healthz',
      headers: { accept: 'application/json' },
      response_schema: { type: 'object', required: ['status'] },
    },
  },
  post: {
    summary: 'Send something once',
    value: { method: 'POST', url: 'http://localhost:3000/orders', body: { sku: 7, quantity: 1 } },
  },
  form: {
    summary: 'Send a JSON object in `body` as a form, which the executor encodes',
    value: {
      method: 'POST',
      url: 'http://localhost:3000/search',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: { text: 'tea & cake', tag: ['new', 'hot'], page: 1 },
      response_type: 'text',
    },
  },
};

const NOTHING_LISTENS =
  '`localhost:8999` cannot be reached: the connection was refused (ECONNREFUSED). Nothing was sent.';

const refused = (attempt: number, delay_ms: number) => {
  const classification = 'connect';
  return { attempt, classification, delay_ms, duration_ms: 2 };
};

const headers = { 'content-type': 'application/json; charset=utf-8' };
const body = { status: 'ok' };

const OUTCOMES = {
  success: {
    summary: 'A success',
    value: { outcome: 'success', status: 200, headers, attempts: 1, history: [], body },
  },
  retries_exhausted: {
    summary: 'All attempts fail, because nothing is listening on the port',
    value: {
      outcome: 'failure',
      error: 'RetriesExhausted',
      message: `All 3 attempts failed. The last attempt failed: ${NOTHING_LISTENS}`,
      attempts: 3,
      history: [refused(1, 200), refused(2, 400), refused(3, 0)],
      last_error: { error: 'ConnectFailure', message: NOTHING_LISTENS },
    },
  },
  schema_validation_failed: {
    summary: 'The response does not match `response_schema`',
    value: {
      outcome: 'failure',
      error: 'SchemaValidationFailed',
      message: "the body must have required property 'id'",
      status: 200,
      headers,
      violations: [{ path: '', message: "the body must have required property 'id'" }],
      attempts: 1,
      history: [],
      body,
    },
  },
  dry_run: {
    summary: 'With `dry_run=true`',
    value: {
      outcome: 'dry_run',
      would_send: true,
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

const BINDING_HEADERS = {
  [DECISION_HEADER]: Type.String({
    description: 'Decision token for this action, if this executor requires one.',
  }),
  [KEY_HEADER]: Type.String({
    description:
      'Key that makes the execution happen at most once, if this executor has a store. The same key and action return the first outcome again.',
  }),
};

const REPLAYED = {
  [REPLAYED_HEADER]: {
    type: 'string',
    description: '`true` if this is the outcome of an earlier execution with the same key.',
  },
};

export const executeSchema = {
  operationId: 'execute',
  tags: [TAG.name],
  summary: 'Send a request from within the sandbox',
  description: [
    'Sends one request and returns its outcome. Once the executor has tried to send the request, the response is a 200, even if the upstream failed. `outcome`, `error` and `status` say what happened. An action that is refused before any attempt gets a problem document.',
    `${RETRY_POLICY.methods.join(', ')} requests are retried on 429, 5xx, connection errors and timeouts, with at most ${RETRY_POLICY.maxAttempts} attempts in total. Requests with other methods are sent once. Redirects are followed up to ${MAX_REDIRECTS} times. \`GET /sandbox\` shows all limits of this executor.`,
    'Credentials in `headers` are sent to the upstream. If the upstream echoes a credential, the response shows `REDACTED` instead.',
  ].join('\n\n'),
  body: withExamples(ActionArguments, REQUESTS),
  querystring: ExecuteQuery,
  requestHeaders: { ...TRACE_HEADERS, ...BINDING_HEADERS },
  response: {
    200: { ...responseOf(EXECUTE_ANSWER, 'The outcome.', OUTCOMES), headers: REPLAYED },
  },
  problems: [
    'InvalidAction',
    'InvalidResponseSchema',
    'HostNotAllowed',
    'DestinationNotAllowed',
    'AddressNotAllowed',
    'TooManyRequests',
    'CredentialUnavailable',
    'DecisionRequired',
    'DecisionInvalid',
    'DecisionExpired',
    'DecisionForAnotherAction',
    'DecisionUsed',
    'DecisionKeysUnavailable',
    'InvalidIdempotencyKey',
    'IdempotencyUnavailable',
    'KeyInProgress',
    'KeyReused',
    'StoreUnavailable',
  ] as const,
};

export const documentation: Documentation = {
  title: 'Gatehouse HTTP executor',
  description:
    'Sends the requests that a planner describes in JSON. The sandbox around each request provides an allowlist, address checks, retries, response validation and redaction of secrets. An action that is refused before anything is sent gets a problem document (RFC 9457). The `type` of a problem is the path of a page that explains the problem. Once an attempt has been made, the response is a 200 with an outcome. Unknown paths get `NotFound`, and wrong methods get `MethodNotAllowed` with an `Allow` header.',
  version: manifest.version,
  license: manifest.license,
  tags: [TAG],
};
