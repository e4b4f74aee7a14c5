import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends a body with POST. Returns the status and the problem code, or the code of an error. */
export type Post = (url: string, body: string) => Promise<string>;

export const JSON_TYPE = { 'content-type': 'application/json' };

const shown = (status: number | string | undefined, answer: string) =>
  `${status} ${/"code":"(\w+)"/.exec(answer)?.[1] ?? ''}`.trim();

export const postByFetch =
  (headers: Record<string, string> = JSON_TYPE): Post =>
  async (url, body) => {
    const response = await fetch(url, { method: 'POST', headers, body });
    return shown(response.status, await response.text());
  };

const postBy =
  (agent: Agent | false): Post =>
  async (url, body) => {
    const headers = { ...JSON_TYPE, 'content-length': body.length };
    const asked = request(url, { method: 'POST', agent, headers }).end(body);
    const [response] = await once(asked, 'response');
    return shown(response.statusCode, await text(response));
  };

/** Sends everything before it reads anything, as many clients do. */
const postThenRead: Post = async (url, body) => {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n`;
  const fields = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const failed = once(socket, 'error').then(([error]) => Promise.reject(error));
  const sent = new Promise((done) => socket.write(head + fields + body, done));
  await Promise.race([sent, failed]);
  const answer = await text(socket);
  return shown(/^HTTP\S+ (\d+)/.exec(answer)?.[1], answer);
};

export const POSTS: Readonly<Record<string, Post>> = {
  fetch: postByFetch(),
  'a fresh connection each': postBy(false),
  'reused connections': postBy(new Agent({ keepAlive: true, maxSockets: 5 })),
  'a client that reads only after it has sent everything': postThenRead,
};

/** Makes `count` requests, five at a time. Counts the answers. */
export async function tally(count: number, ask: () => Promise<string>) {
  const times: Record<string, number> = {};
  const askInTurn = async () => {
    for (let n = 0; n < count / 5; n++) {
      const answer = await ask().catch((error) => String(error.cause ?? error));
      times[answer] = (times[answer] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 5 }, askInTurn));
  return times;
}
