import type { IncomingHttpHeaders, Server } from 'node:http';
import { MIMEType } from 'node:util';
import type { onRequestHookHandler } from 'fastify';
import { ProblemReply, payloadTooLarge } from '../problems/problem-reply.ts';

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

/** True if the client waits for `100 Continue` before it sends its body. */
export function expectsContinue({ expect }: IncomingHttpHeaders): boolean {
  return expect !== undefined && /^100-continue$/i.test(expect);
}

/** Parsing a content type takes Node quadratic time if it contains many spaces. */
const MAX_TYPE_CHARS = 1_024;

/** True if the body is uncompressed JSON in UTF-8, or absent. */
function isPlainJson(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers;
  if (!/^(?:identity)?$/i.test(encoding)) return false;

  if (type === undefined) {
    const { 'content-length': length = '0', 'transfer-encoding': transfer } = headers;
    return length === '0' && transfer === undefined;
  }

  if (type.length > MAX_TYPE_CHARS) return false;

  try {
    const { essence, params } = new MIMEType(type);
    const charset = params.get('charset') ?? 'utf-8';
    return essence === 'application/json' && charset.toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}
