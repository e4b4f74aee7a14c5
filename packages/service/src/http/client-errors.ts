import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_MEDIA_TYPE, type ProblemCode } from '@gatehouse/contracts';
import { exampleProblem } from '../problems/problem-reply.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-head.ts';

/** Codes of errors that get a reply. TLS errors get no reply, because sending one could hang. */
const ANSWERABLE = /^(?:HPE|ERR_HTTP)_/;

function problemOf(code: string | undefined): ProblemCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HeadersTooLarge';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'RequestTimeout';
  return 'MalformedRequest';
}

interface Refused {
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly remote: string | undefined;
}

/** Returns a handler that answers malformed HTTP with a problem document, then disconnects. */
export function answerClientErrors(report: (refused: Refused) => void, discardMs: number) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (!ANSWERABLE.test(error.code ?? '') || !socket.writable) return void socket.destroy(error);
    discardAfterError(socket, discardMs);
    afterReplies(socket, (request) => {
      if (!socket.writable) return;
      const code = problemOf(error.code);
      const requestId = requestIdOf(request ?? { headers: {} });
      report({ code, request_id: requestId, remote: socket.remoteAddress });
      socket.end(responseWith(code, requestId));
    });
  };
}

/**
 * Discards unread bytes, because closing a connection with unread bytes would reset the connection
 * and lose the response. Also detaches the HTTP parser from the connection, because the parser
 * could mistake unread bytes for another request.
 */
function discardAfterError(socket: Socket, ms: number): void {
  socket.removeAllListeners('data').on('data', () => {});
  const timer = setTimeout(() => socket.destroy(), ms);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * `_httpMessage` is Node's private reference to the response in progress; Node has no public one.
 * Without it, the caller would take our reply for the response in progress.
 */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Calls `then` after all requests before the malformed request have been answered. `then` receives
 * the malformed request, or undefined if its headers were unreadable.
 */
function afterReplies(socket: Connection, then: (request?: IncomingMessage) => void): void {
  const due = socket._httpMessage;
  if (due?.req.complete || due?.headersSent) due.once('close', () => afterReplies(socket, then));
  else then(due?.req);
}

function responseWith(code: ProblemCode, requestId: string): string {
  const document = exampleProblem(code, requestId);
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
