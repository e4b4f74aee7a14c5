import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_MEDIA_TYPE, type ProblemCode } from '@gatehouse/contracts';
import { REQUEST_ID_HEADER, requestIdOf } from '../request/request-id.ts';
import { exampleProblem } from './problem-reply.ts';

/** How long the rest of what a client sends is read and dropped. */
const DROP_MS = 5_000;

/** Errors of HTTP. After one of TLS, a response could wait for a handshake that never ends. */
const ANSWERABLE = /^(?:HPE|ERR_HTTP)_/;

function problemOf(code: string | undefined): ProblemCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HeadersTooLarge';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'RequestTimeout';
  return 'MalformedRequest';
}

/** Answers bytes that are not an HTTP request with a problem, below Fastify, and closes. */
export function answerClientErrors(count: (code: ProblemCode) => void) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (!ANSWERABLE.test(error.code ?? '') || !socket.writable) return void socket.destroy(error);
    dropRest(socket);
    afterReplies(socket, () => {
      if (!socket.writable) return;
      const problem = problemOf(error.code);
      count(problem);
      socket.end(responseWith(problem));
    });
  };
}

/**
 * Takes what the client still sends from the parser, which could find a request in it, and
 * drops it: closing with unread bytes resets the connection and loses the response.
 */
function dropRest(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => {});
  const timer = setTimeout(() => socket.destroy(), DROP_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Node's private link from a connection to the response that is due on it. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Calls back once earlier requests have their replies; one with a broken body gets this one. */
function afterReplies(socket: Connection, then: () => void): void {
  const due = socket._httpMessage;
  if (due?.req.complete || due?.headersSent) due.once('close', () => afterReplies(socket, then));
  else then();
}

function responseWith(code: ProblemCode): string {
  const document = exampleProblem(code, requestIdOf({ headers: {} }));
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
