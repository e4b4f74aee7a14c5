import type { IncomingHttpHeaders, Server } from 'node:http';
import { MIMEType } from 'node:util';
import type { onRequestHookHandler } from 'fastify';
import { ProblemReply, payloadTooLarge } from '../problems/problem-reply.ts';

/** Refuses HTTP/1.1 requests without `host` with a problem, which Node would not send. */
export const requireHost: onRequestHookHandler = ({ raw }, reply, done) => {
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return done();
  reply.header('connection', 'close');
  done(new ProblemReply('MalformedRequest', 'Send a `host` header; HTTP/1.1 requires one.'));
};

/** True if the client waits for `100 Continue` before it sends its body. */
export function expectsContinue({ expect }: IncomingHttpHeaders): boolean {
  return expect !== undefined && /^100-continue$/i.test(expect);
}

/** Methods whose bodies are ignored. */
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Checks the headers about a body before any of the body is read:
 * 1. a body that is not JSON in UTF-8: 415
 * 2. an expectation other than `100-continue`: 417
 * 3. `100-continue` with a body that is too large: 413
 * 4. any other `100-continue`: `100 Continue`
 */
export function checkHeads(server: Server): onRequestHookHandler {
  // Node would send `100 Continue` before any hook runs.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (request, response) => server.emit('request', request, response));
  return (request, reply, done) => {
    const { headers, httpVersion, method } = request.raw;
    const unsupported =
      BODYLESS.has(method ?? '') || isPlainJson(headers)
        ? undefined
        : new ProblemReply('UnsupportedMediaType');
    // HTTP/1.0 has no expectations.
    if (unsupported !== undefined || headers.expect === undefined || httpVersion !== '1.1')
      return done(unsupported);
    if (!expectsContinue(headers)) return done(new ProblemReply('ExpectationFailed'));
    const { bodyLimit } = request.routeOptions;
    if (Number(headers['content-length']) > bodyLimit) return done(payloadTooLarge(bodyLimit));
    reply.raw.writeContinue();
    // We have handled `Expect: 100-continue`, so later code must not see the header.
    delete headers.expect;
    done();
  };
}

/** True if the body is uncompressed JSON in UTF-8, or absent. */
function isPlainJson(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers;
  if (!/^(?:identity)?$/i.test(encoding)) return false;
  if (type === undefined) {
    const { 'content-length': length = '0', 'transfer-encoding': transfer } = headers;
    return length === '0' && transfer === undefined;
  }
  try {
    const { essence, params } = new MIMEType(type);
    const charset = params.get('charset') ?? 'utf-8';
    return essence === 'application/json' && charset.toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}
