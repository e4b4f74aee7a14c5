import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_MEDIA_TYPE, type ProblemCode } from '@gatehouse/contracts';
import { dropRest } from '../connections/closing.ts';
import { REQUEST_ID_HEADER, requestIdOf } from '../request/request-id.ts';
import { ProblemError, problemDocument } from './problem.ts';

function refusalOf(code: string | undefined): ProblemError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ProblemError('HeadersTooLarge', 'Send fewer or shorter headers.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ProblemError('RequestTimeout', 'Send the request without pauses.');
  return new ProblemError('MalformedRequest', 'Send a well-formed HTTP/1.1 request.');
}

/**
 * Errors of the HTTP parser and of its time limits. Others are of the connection or of
 * its TLS handshake: an answer would wait for a handshake that never ends, and keep the
 * connection open for as long.
 */
const ANSWERABLE = /^(?:HPE|ERR_HTTP)_/;

/**
 * Answers bytes that never became a request, below Fastify, with a problem, and closes
 * the connection.
 */
export function answerClientErrors(count: (code: ProblemCode) => void) {
  const failed = new WeakSet<Socket>();
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (!ANSWERABLE.test(error.code ?? '') || !socket.writable) return void socket.destroy(error);
    // A parser that has failed fails on all that comes after.
    if (failed.has(socket)) return;
    failed.add(socket);
    afterAnswers(socket, () => {
      if (!socket.writable) return;
      const refusal = refusalOf(error.code);
      count(refusal.problem);
      dropRest(socket);
      socket.end(answerTo(refusal));
    });
  };
}

/** What Node holds of a connection: the answer that is due on it. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Calls back when all requests that came before on this connection are answered: what
 * they have asked for is being done, and another answer in place of theirs would say that
 * it is not. One whose body has failed gets no other answer.
 */
function afterAnswers(socket: Connection, then: () => void): void {
  const due = socket._httpMessage;
  if (due?.req.complete || due?.headersSent) due.once('close', () => afterAnswers(socket, then));
  else then();
}

function answerTo(refusal: ProblemError): string {
  const document = problemDocument(refusal, requestIdOf({ headers: {} }));
  const body = JSON.stringify(document);
  return [
    `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}`,
    `content-type: ${PROBLEM_MEDIA_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${document.request_id}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
