import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { PROBLEM_MEDIA_TYPE, type Problem } from '@gatehouse/contracts';
import { expect } from 'vitest';
import { createServer, loggerTo, type Server, type ServerOptions } from '../../src/index.ts';

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Log lines so far. */
  lines(): Record<string, unknown>[];
  readonly log: string;
  /** Calls `look` with the server's socket for each new connection. */
  onConnection(look: (socket: Socket) => void): void;
}

/** Options of a test's server. The default body limit is 1000 bytes. */
type Options = Partial<Omit<ServerOptions, 'logger'>>;

/** Starts a server with these routes on a free loopback port, with its log in memory. */
export async function startServer(
  route: (app: Server) => void = () => {},
  options: Options = {},
): Promise<RunningServer> {
  const chunks: string[] = [];
  const stream = new PassThrough({ encoding: 'utf8' }).on('data', (chunk) => chunks.push(chunk));
  const logger = loggerTo(stream, 'trace', 'test');
  const app = await createServer({ logger, maxRequestBytes: 1_000, ...options });
  route(app);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    port: Number(new URL(url).port),
    get log() {
      return chunks.join('');
    },
    lines: () =>
      chunks
        .join('')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    onConnection: (look) => void app.server.on('connection', look),
    [Symbol.asyncDispose]: async () => app.close(),
  };
}

/** Checks that a response is a well-formed problem and returns it. */
export async function readProblem(response: Response): Promise<Problem> {
  const problem = (await response.json()) as Problem;
  expect(response.headers.get('content-type')?.split(';')[0], JSON.stringify(problem)).toBe(
    PROBLEM_MEDIA_TYPE,
  );
  expect(problem.status).toBe(response.status);
  expect(problem.request_id).toBe(response.headers.get('x-request-id'));
  return problem;
}
