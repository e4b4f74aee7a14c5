import type { Server } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type ProblemCode, SERVICE_PATHS, type Violation } from '@gatehouse/contracts';
import { type Checked, compileValidator } from '@gatehouse/contracts/validation';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifySchemaCompiler, onRequestHookHandler } from 'fastify';
import { invalidReply, ProblemReply, payloadTooLarge } from '../problems/problem-reply.ts';
import type { InFlight } from '../telemetry/metrics.ts';
import { expectsContinue, isPlainJson, isProbe, pathOf } from './request-head.ts';

export const requireHost: onRequestHookHandler = ({ raw }, _reply, done) => {
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return done();
  done(new ProblemReply('MalformedRequest', 'Send a `host` header; HTTP/1.1 requires one.'));
};

/** HTTP methods whose request bodies are ignored. */
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Checks the headers that describe the body, before the body is read:
 * 1. Answers 415 if the body is not JSON in UTF-8.
 * 2. Answers 413 if the client waits for `100 Continue` and its `content-length` is too large.
 * 3. Sends `100 Continue` if the client is waiting for it.
 */
export function checkBodyHeaders(server: Server): onRequestHookHandler {
  // Without these listeners, Node would send `100 Continue` before any hook runs.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (request, response) => server.emit('request', request, response));
  return (request, reply, done) => {
    const { headers, httpVersion, method } = request.raw;
    const unsupported =
      BODYLESS.has(method ?? '') || isPlainJson(headers)
        ? undefined
        : new ProblemReply('UnsupportedMediaType');
    // HTTP/1.0 does not define `Expect`.
    if (unsupported !== undefined || !expectsContinue(headers) || httpVersion !== '1.1')
      return done(unsupported);
    const { bodyLimit } = request.routeOptions;
    if (Number(headers['content-length']) > bodyLimit) return done(payloadTooLarge(bodyLimit));
    reply.raw.writeContinue();
    done();
  };
}

const { docs } = SERVICE_PATHS;

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Answers 404 if the path is unknown, or 405 with `Allow` if the method is wrong. */
export function refuseUnknownPaths(app: FastifyInstance): onRequestHookHandler {
  const routes = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    routes.add(url);
  });
  const notFound = () => new ProblemReply('NotFound', knownPathsHint([...routes]));
  // Fastify also calls this handler if a static file does not exist.
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  return (request, reply, done) => {
    if (!request.is404) return done();
    const path = pathOf(request.url);
    // Refuse dot segments such as `/..`, because `URLPattern` would resolve them and find a route.
    if (DOT_SEGMENT.test(path)) return done(notFound());
    const url = [...routes].find((pathname) =>
      new URLPattern({ pathname }).test({ pathname: path }),
    );
    if (url === undefined) return done(notFound());
    const methods = app.supportedMethods.filter((method) => app.hasRoute({ method, url }));
    const allowed = methods.join(', ');
    reply.header('allow', allowed);
    done(new ProblemReply('MethodNotAllowed', `Use ${allowed} for this path.`));
  };
}

/** Lists the service's paths, except individual problem pages and files under `/docs/`. */
function knownPathsHint(routes: readonly string[]): string {
  const shown = routes.filter((route) => !/[:*]/.test(route) && !route.startsWith(`${docs}/`));
  return `Use one of the paths of this service: ${shown.join(', ')}.`;
}

export interface LoadLimits {
  readonly maxInFlight: number;
  /** Limit on the event loop delay (its mean over one second). */
  readonly maxEventLoopDelayMs: number;
}

export const NO_LIMITS: LoadLimits = {
  maxInFlight: Number.POSITIVE_INFINITY,
  maxEventLoopDelayMs: Number.POSITIVE_INFINITY,
};

/** Interval at which Node samples the event loop delay. */
const RESOLUTION_MS = 10;

/** Refuses requests with a 503 while a limit is exceeded, but still answers probes. */
export function shedLoad(
  app: FastifyInstance,
  inFlight: InFlight,
  { maxInFlight, maxEventLoopDelayMs }: LoadLimits,
): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let delayMs = 0;
  const measuring = setInterval(() => {
    // `NaN` if Node took no samples, for example because the machine was paused.
    delayMs = delays.mean / 1e6 - RESOLUTION_MS;
    delays.reset();
  }, 1_000).unref();
  app.addHook('onClose', async () => {
    clearInterval(measuring);
    delays.disable();
  });
  app.addHook('onRequest', ({ url }, _reply, done) => {
    if (isProbe(url)) return done();
    if (inFlight.count > maxInFlight)
      return done(overloaded(`${maxInFlight} requests (MAX_IN_FLIGHT) are already in flight`));
    if (delayMs > maxEventLoopDelayMs)
      return done(overloaded('the event loop delay is above MAX_EVENT_LOOP_DELAY_MS'));
    done();
  });
}

function overloaded(reason: string): ProblemReply {
  return new ProblemReply(
    'Overloaded',
    `The request was not processed, because ${reason}; send it again after the time in \`retry-after\`.`,
  );
}

type Check = (value: unknown) => Checked<unknown>;

/**
 * Replaces Fastify's validator, which would convert `"1"` to 1 and drop unknown members. Answers
 * invalid input with the problem `code`. Uses `check`, if given, in place of the body's schema.
 */
export function strictValidator(code: ProblemCode, check?: Check): FastifySchemaCompiler<unknown> {
  return ({ httpPart, ...route }) => {
    // Accept any path parameter, because a request for an unknown page must get a 404, not a 400.
    if (httpPart === 'params') return () => true;
    const schema = route.schema as TSchema;
    if (httpPart === 'querystring') return queryValidator(schema, code);
    const refuse = (violations: readonly Violation[]) => invalidReply(code, violations);
    return validator(check ?? compileValidator(schema), refuse);
  };
}

export type BodyCheck = (value: unknown) => {
  readonly value?: unknown;
  readonly error?: ProblemReply;
};

function validator(
  check: Check,
  refuse: (violations: readonly Violation[]) => ProblemReply,
): BodyCheck {
  return (value) => {
    const checked = check(value);
    return checked.ok ? { value: checked.value } : { error: refuse(checked.violations) };
  };
}

function queryValidator(schema: TSchema, code: ProblemCode) {
  const known = Object.keys(schema.properties ?? {});
  return validator(compileValidator(schema), (violations) => {
    const [first] = violations;
    const name = first?.pointer.slice(1) ?? '';
    const detail = known.includes(name)
      ? `Correct the query parameter \`${name}\`: it ${first?.message}.`
      : `Remove the unknown query parameter \`${name}\`; the known ones are \`${known.join('`, `')}\`.`;
    return new ProblemReply(code, detail, violations);
  });
}
