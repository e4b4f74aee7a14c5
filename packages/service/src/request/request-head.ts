import type { IncomingHttpHeaders, Server } from 'node:http';
import { MIMEType } from 'node:util';
import type { onRequestHookHandler } from 'fastify';
import { ProblemReply, payloadTooLarge } from '../problems/problem-reply.ts';

/** Refuses HTTP/1.1 requests without a host: Node would not answer with a problem. */
export const requireHost: onRequestHookHandler = ({ raw }, reply, done) => {
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return done();
  reply.header('connection', 'close');
  done(new ProblemReply('MalformedRequest', 'Send a `host` header; HTTP/1.1 requires one.'));
};

/** Whether a client waits for `100 Continue`, or a reply, before it sends its body. */
export function expectsContinue({ expect }: IncomingHttpHeaders): boolean {
  return expect !== undefined && /^100-continue$/i.test(expect);
}

/** Nobody reads the bodies of these. */
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Checks what the head of a request says about its body, before any of that is read:
 * 1. a body that is not JSON in UTF-8: 415
 * 2. an expectation other than `100-continue`: 417
 * 3. `100-continue` before a body that is too long: 413
 * 4. `100-continue`: `100 Continue`
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
    // HTTP/1.0 knows no expectations.
    if (unsupported !== undefined || headers.expect === undefined || httpVersion !== '1.1')
      return done(unsupported);
    if (!expectsContinue(headers)) return done(new ProblemReply('ExpectationFailed'));
    const { bodyLimit } = request.routeOptions;
    if (Number(headers['content-length']) > bodyLimit) return done(payloadTooLarge(bodyLimit));
    reply.raw.writeContinue();
    // Met: from here on a request like any other.
    delete headers.expect;
    done();
  };
}

/** Whether the body, if there is one, is JSON in UTF-8 as it is (contract, section 1). */
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
