import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { PROBLEM_MEDIA_TYPE, type Problem } from '@gatehouse/contracts';
import { expect } from 'vitest';
import { createServer, loggerTo, type Server, type ServerOptions } from '../../src/index.ts';

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The log lines so far. */
  lines(): Record<string, unknown>[];
  readonly log: string;
  /** Shows the server's end of each further connection. */
  onConnection(look: (socket: Socket) => void): void;
}

/** What a test sets of the server; it takes bodies of up to 1000 bytes otherwise. */
type Options = Partial<Omit<ServerOptions, 'logger'>>;

/**
 * A server with the routes of a test, on a free port of loopback, that logs into memory.
 */
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

/** The problem that a response holds, once it is known to have the right form. */
export async function readProblem(response: Response): Promise<Problem> {
  const problem = (await response.json()) as Problem;
  expect(response.headers.get('content-type')?.split(';')[0], JSON.stringify(problem)).toBe(
    PROBLEM_MEDIA_TYPE,
  );
  expect(problem.status).toBe(response.status);
  expect(problem.request_id).toBe(response.headers.get('x-request-id'));
  return problem;
}
