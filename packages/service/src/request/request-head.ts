import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ProblemError, payloadTooLarge } from '../problems/problem.ts';
import { unsupportedBody } from './content-type.ts';

/**
 * Refuses HTTP/1.1 requests without a host. Node would do so by itself, but with an
 * answer of its own. Call before other hooks answer.
 */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return done();
    reply.header('connection', 'close');
    done(new ProblemError('MalformedRequest', 'Send a `host` header; HTTP/1.1 requires one.'));
  });
}

/** Whether a client waits for leave to send the body, or for the answer. */
export function expectsContinue({ expect }: IncomingHttpHeaders): boolean {
  return expect !== undefined && /^100-continue$/i.test(expect);
}

/** What the methods of these requests send is not read. */
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Judges what the head of a request says about its body, before any of that is read. Call
 * after the hooks that may refuse the request whatever its body is. In this order:
 * 1. a body that is not JSON in UTF-8: 415
 * 2. an expectation other than `100-continue`: 417
 * 3. `100-continue` before a body that is too long: 413
 * 4. `100-continue`: `100 Continue`
 */
export function judgeHeads(app: FastifyInstance): void {
  // Node would send `100 Continue` before anybody has seen the request.
  for (const event of ['checkContinue', 'checkExpectation']) {
    app.server.on(event, (request, response) => app.server.emit('request', request, response));
  }
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, httpVersion, method } = request.raw;
    const unsupported = BODYLESS.has(method ?? '') ? undefined : unsupportedBody(headers);
    // HTTP/1.0 knows no expectations.
    if (unsupported !== undefined || headers.expect === undefined || httpVersion !== '1.1')
      return done(unsupported);
    if (!expectsContinue(headers)) {
      return done(new ProblemError('ExpectationFailed'));
    }
    const { bodyLimit } = request.routeOptions;
    if (Number(headers['content-length']) > bodyLimit) return done(payloadTooLarge(bodyLimit));
    reply.raw.writeContinue();
    // It is met, and the rest of the request like any other.
    delete headers.expect;
    done();
  });
}
