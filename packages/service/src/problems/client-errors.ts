import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_MEDIA_TYPE, type ProblemCode } from '@gatehouse/contracts';
import { dropRest } from '../connections/drop-rest.ts';
import type { Logger } from '../log/logger.ts';
import { REQUEST_ID_HEADER, requestIdOf } from '../request/request-id.ts';
import { exampleProblem } from './problem-error.ts';

function problemOf(code: string | undefined): ProblemCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HeadersTooLarge';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'RequestTimeout';
  return 'MalformedRequest';
}

/** The first byte of a TLS handshake. */
const TLS_HANDSHAKE = 0x16;

function isTls(error: object): boolean {
  const packet = 'rawPacket' in error ? error.rawPacket : undefined;
  return Buffer.isBuffer(packet) && packet[0] === TLS_HANDSHAKE;
}

const SENT_TLS =
  'a caller sent TLS, and this port takes plain HTTP; use http://, or set the certificate and the key of this service';

/** Errors of HTTP. After one of TLS, a response could wait for a handshake that never ends. */
const ANSWERABLE = /^(?:HPE|ERR_HTTP)_/;

/** Answers bytes that are no HTTP request with a problem, below Fastify, and closes. */
export function answerClientErrors(count: (code: ProblemCode) => void, logger: Logger) {
  const failed = new WeakSet<Socket>();
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (!ANSWERABLE.test(error.code ?? '') || !socket.writable) return void socket.destroy(error);
    // A parser that has failed once fails on everything after it.
    if (failed.has(socket)) return;
    failed.add(socket);
    if (isTls(error)) logger.warn({ remote: socket.remoteAddress }, SENT_TLS);
    afterAnswers(socket, () => {
      if (!socket.writable) return;
      const problem = problemOf(error.code);
      count(problem);
      dropRest(socket);
      socket.end(responseWith(problem));
    });
  };
}

/** Node's private link from a connection to the response that is due on it. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Calls back once earlier requests have their responses; one with a broken body gets this one. */
function afterAnswers(socket: Connection, then: () => void): void {
  const due = socket._httpMessage;
  if (due?.req.complete || due?.headersSent) due.once('close', () => afterAnswers(socket, then));
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
