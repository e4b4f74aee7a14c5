import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { Agent, type Dispatcher, RetryAgent } from 'undici';

// Baseline for the executor: the code that an engineer writes in an afternoon. It checks the action
// and the host, retries, validates the response, masks headers that hold credentials, and logs. It
// leaves out all that takes longer, such as address checks and the search for echoed secrets.
const METHODS: Dispatcher.HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
const Action = Type.Object({
  method: Type.Unsafe<Dispatcher.HttpMethod>({ enum: METHODS }),
  url: Type.String({ format: 'uri', maxLength: 8_192 }),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  body: Type.Optional(Type.Unknown()),
  response_schema: Type.Optional(Type.Object({}, { additionalProperties: true })),
});
type Action = Static<typeof Action>;

const ALLOWED_HOSTS = new Set(['localhost', '127.0.0.1']);
const MASKED_HEADERS = new Set([
  ...['authorization', 'proxy-authorization', 'cookie', 'set-cookie'],
  ...['x-api-key', 'api-key', 'x-auth-token', 'x-csrf-token', 'x-amz-security-token'],
]);

const limits = { headersTimeout: 15_000, bodyTimeout: 15_000, maxResponseSize: 10 * 1024 * 1024 };
const upstreams = new RetryAgent(new Agent(limits), { maxRetries: 3, throwOnError: false });

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const validators = new Map<string, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema);
  const validator = validators.get(text) ?? ajv.compile(schema);
  validators.set(text, validator);
  return validator;
}

function masked<T>(headers: Record<string, T>): Record<string, T | 'REDACTED'> {
  const shown: Record<string, T | 'REDACTED'> = {};
  for (const [name, value] of Object.entries(headers))
    shown[name] = MASKED_HEADERS.has(name.toLowerCase()) ? 'REDACTED' : value;
  return shown;
}

async function send({ method, headers = {}, body, response_schema }: Action, url: URL) {
  const sent = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
  const response = await upstreams.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: sent,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.body.text();
  const { statusCode: status } = response;
  const received = { status, headers: masked(response.headers), body: parsed(text) };
  if (status >= 300) return { outcome: 'failure', error: 'HttpFailure', ...received };
  const isValid = response_schema === undefined ? undefined : validatorOf(response_schema);
  if (isValid === undefined || isValid(received.body)) return { outcome: 'success', ...received };
  const violations = isValid.errors?.map(({ instancePath: path, message }) => ({ path, message }));
  return { outcome: 'failure', error: 'SchemaValidationFailed', ...received, violations };
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

async function execute(action: Action, url: URL, log: FastifyBaseLogger) {
  const began = performance.now();
  const outcome = await send(action, url).catch(({ message }: Error) => {
    return { outcome: 'failure', error: 'RequestFailed', message, status: undefined };
  });
  log.info(
    {
      upstream: { method: action.method, url: action.url, headers: masked(action.headers ?? {}) },
      outcome: outcome.outcome,
      status: outcome.status,
      duration_ms: performance.now() - began,
    },
    'execution',
  );
  return { ...outcome, attempts: 1, history: [] };
}

const app = Fastify({ logger: true });
app.post<{ Body: Action }>('/execute', { schema: { body: Action } }, async (request, reply) => {
  const url = new URL(request.body.url);
  if (/^https?:$/.test(url.protocol) && ALLOWED_HOSTS.has(url.hostname))
    return execute(request.body, url, request.log);
  return reply.code(403).send({ code: 'HostNotAllowed', detail: `${url.host} is not allowed.` });
});
await app.listen({ host: '127.0.0.1', port: 0 });
