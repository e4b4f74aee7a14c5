import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_MEDIA_TYPE, type ProblemCode } from '@gatehouse/contracts';
import { ProblemError, problemDocument } from './problem.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';

function refusalOf(code: string | undefined): ProblemError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ProblemError('HeadersTooLarge', 'Send fewer or shorter headers.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ProblemError('RequestTimeout', 'Send the request without pauses.');
  return new ProblemError('MalformedRequest', 'Send a well-formed HTTP/1.1 request.');
}

/**
 * Errors of the HTTP parser and of its time limits. Others are of the connection or of its TLS handshake: an answer
 * would wait for a handshake that never ends, and keep the connection open for as long.
 */
const ANSWERABLE = /^(?:HPE|ERR_HTTP)_/;

/** Answers bytes that never became a request, below Fastify, with a problem, and closes the connection. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  count: (code: ProblemCode) => void,
): void {
  if (!ANSWERABLE.test(error.code ?? '') || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error.code);
  count(refusal.problem);
  const document = problemDocument(refusal, requestIdOf({ headers: {} }));
  const body = JSON.stringify(document);
  socket.end(
    [
      `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}`,
      `content-type: ${PROBLEM_MEDIA_TYPE}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `${REQUEST_ID_HEADER}: ${document.request_id}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
