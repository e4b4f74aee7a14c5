import type {
  ExecutionOutcome,
  FailureOutcome,
  Problem,
  SuccessOutcome,
} from '@gatehouse/contracts';
import { createLogger } from '@gatehouse/service';
import { expect } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

export interface Executor extends AsyncDisposable {
  readonly url: string;
  /** Sends `POST /execute`. */
  execute(action: unknown, init?: RequestInit): Promise<Response>;
  /** Sends `POST /execute?dry_run=true`. */
  dryRun(action: unknown): Promise<Response>;
  outcome(action: unknown): Promise<ExecutionOutcome>;
  success(action: unknown): Promise<SuccessOutcome>;
  failure(action: unknown): Promise<FailureOutcome>;
  problem(action: unknown): Promise<Problem>;
}

export interface LocalExecutor extends Executor {
  /** Waits until this number of POST requests have arrived in total. */
  arrived(posts: number): Promise<void>;
}

/** Starts the real service on a free loopback port. */
export async function startExecutor(
  env: Readonly<Record<string, string>> = {},
): Promise<LocalExecutor> {
  const app = await buildApp({
    // Other tests keep the machine busy, which must not count as overload.
    config: readConfig({ MAX_EVENT_LOOP_DELAY_MS: '600000', ...env }),
    logger: createLogger('executor', 'silent'),
  });
  let posts = 0;
  app.server.on('request', ({ method }) => {
    if (method === 'POST') posts += 1;
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...clientOf(url),
    arrived: async (count) => {
      await expect.poll(() => posts, { interval: 5 }).toBe(count);
      // By the time the service answers this later request, it has certainly read the bodies of
      // all earlier requests.
      await fetch(`${url}/healthz`);
    },
    [Symbol.asyncDispose]: async () => app.close(),
  };
}

export function clientOf(url: string): Omit<Executor, keyof AsyncDisposable> {
  const post = (path: string, action: unknown, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(action),
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    });
  const execute = (action: unknown, init?: RequestInit) => post('/execute', action, init);
  const outcome = async (action: unknown) => readOutcome(await execute(action));
  const expected = async (action: unknown, kind: ExecutionOutcome['outcome']) => {
    const read = await outcome(action);
    if (read.outcome !== kind) throw new Error(`expected a ${kind}, got ${JSON.stringify(read)}`);
    return read;
  };
  return {
    url,
    execute,
    dryRun: (action) => post('/execute?dry_run=true', action),
    outcome,
    success: (action) => expected(action, 'success') as Promise<SuccessOutcome>,
    failure: (action) => expected(action, 'failure') as Promise<FailureOutcome>,
    problem: async (action) => readProblem(await execute(action)),
  };
}

/** Checks that a response is an outcome (docs/contract.md, "Outcomes"). */
async function readOutcome(response: Response): Promise<ExecutionOutcome> {
  const body = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return body as ExecutionOutcome;
}

/** Checks that a response is a problem (docs/contract.md, "Problems"). */
export async function readProblem(response: Response): Promise<Problem> {
  const problem = (await response.json()) as Problem;
  expect(response.headers.get('content-type'), JSON.stringify(problem)).toMatch(
    /^application\/problem\+json\b/,
  );
  expect(problem).toMatchObject({
    status: response.status,
    type: expect.stringMatching(/^\/problems\/[a-z-]+$/),
    title: expect.stringMatching(/./),
    detail: expect.stringMatching(/^[A-Z].+\.$/s),
    code: expect.stringMatching(/^[A-Z][A-Za-z]+$/),
    request_id: response.headers.get('x-request-id'),
  });
  return problem;
}
