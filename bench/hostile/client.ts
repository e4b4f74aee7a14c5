import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';

/** What came back for one request. */
export interface Answer {
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  readonly type: string;
  /** Of the body, counted to its end. */
  readonly bytes: number;
  /** The body; of a huge one its beginning. */
  readonly text: string;
  /** Why there is none, or not all of it. */
  readonly broken?: string;
}

/** More than this is counted and not kept. */
const KEPT_BYTES = 64 * 1024 * 1024;
const PATIENCE_MS = 60_000;

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** `POST` of JSON, whatever comes of it. */
export function post(
  url: string,
  body: Buffer | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const all = {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...headers,
  };
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent, headers: all }, (response) =>
      resolve(read(response)),
    );
    const failed = (error: Error) =>
      resolve({ status: 0, type: '', bytes: 0, text: '', broken: error.message });
    sent.setTimeout(PATIENCE_MS, () =>
      sent.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)),
    );
    sent.on('error', failed).end(bytes);
  });
}

function read(response: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  const parts: Buffer[] = [];
  let bytes = 0;
  const answer = (broken?: string): Answer => ({
    status,
    type: headers['content-type'] ?? '',
    bytes,
    text: Buffer.concat(parts).toString(),
    ...(broken === undefined ? {} : { broken }),
  });
  return new Promise((resolve) => {
    response.on('data', (part: Buffer) => {
      if (bytes < KEPT_BYTES) parts.push(part);
      bytes += part.length;
    });
    response.on('end', () => resolve(answer()));
    response.on('error', (error) => resolve(answer(error.message)));
  });
}

/** Sends bytes on a new connection; resolves with all that comes until it closes or is quiet. */
export function talk(
  port: number,
  bytes: Buffer | string,
  { end = false, quietMs = 5_000 } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port });
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(parts).toString()));
    socket.write(bytes);
    if (end) socket.end();
  });
}

const ANSWER = /HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n/gs;

/** The answers among bytes that came back on one connection. */
export function answersIn(text: string): Answer[] {
  const heads = [...text.matchAll(ANSWER)];
  return heads.map((found, index) => {
    const [whole, status, head = ''] = found;
    const body = text.slice(found.index + whole.length, heads[index + 1]?.index);
    const [, type = ''] = /^content-type: *(.*?)\r?$/im.exec(head) ?? [];
    return { status: Number(status), type, bytes: Buffer.byteLength(body), text: body };
  });
}
