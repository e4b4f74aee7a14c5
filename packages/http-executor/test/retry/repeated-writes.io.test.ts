import { type Reply, type Script, shared, startUpstream } from '@gatehouse/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';

const clock = fakeClock();
const executor = shared(() => startExecutor({ clock, attemptTimeoutMs: 400 }));
beforeEach(() => clock.restart());

const DOUBT = 'An earlier attempt may have been carried out';

/** Starts an upstream that gives `first` once, and `then` to all later requests. */
async function startRepeated(first: Reply | 'cut' | 'silence', then: Reply) {
  let requests = 0;
  const script: Script = (_request, response) => {
    requests += 1;
    const answer = requests === 1 ? first : then;
    if (answer === 'cut') response.destroy();
    else if (answer === 'silence') clock.pass(400);
    else response.writeHead(answer.status ?? 200, answer.headers).end('{}');
  };
  return startUpstream(script);
}

it('a repeated write that no longer reaches its host is not reported as never sent', async () => {
  const upstream = await startUpstream((_request, response) => {
    response.destroy();
    void upstream[Symbol.asyncDispose]();
  });
  const failure = await executor().failure({ method: 'DELETE', url: upstream.origin });
  expect(failure).toMatchObject({ error: 'RetriesExhausted', attempts: 3 });
  expect(failure.message).toMatch(
    /Nothing was sent\. An earlier attempt may have been carried out\.$/,
  );
});

describe('a repeated write that ends in a 3xx or 4xx', () => {
  it.each<[method: string, first: Reply | 'cut' | 'silence', status: number]>([
    ['DELETE', 'cut', 404],
    ['DELETE', { status: 502 }, 404],
    ['DELETE', 'silence', 410],
    ['PUT', { status: 504 }, 412],
    ['PUT', { status: 500 }, 400],
    ['PUT', 'cut', 499],
    ['PUT', { status: 503 }, 304],
    ['DELETE', 'cut', 303],
  ])('%s after %j: the message of a %i says why', async (method, first, status) => {
    await using upstream = await startRepeated(first, { status });
    const failure = await executor().failure({ method, url: upstream.origin });
    expect(failure).toMatchObject({ error: 'HttpFailure', status, attempts: 2 });
    expect(failure.message).toContain(DOUBT);
  });

  it.each<[name: string, method: string, first: Reply, then: Reply]>([
    ['the upstream had refused the first attempt', 'DELETE', { status: 429 }, { status: 404 }],
    ['there was one attempt', 'DELETE', { status: 404 }, { status: 404 }],
    ['it was sent once, because it is a POST', 'POST', { status: 503 }, { status: 404 }],
  ])('has no such sentence if %s', async (_name, method, first, then) => {
    await using upstream = await startRepeated(first, then);
    const { message } = await executor().failure({ method, url: upstream.origin });
    expect(message).not.toContain(DOUBT);
  });

  it('has no such sentence if the first attempt sent nothing', async () => {
    let lookups = 0;
    await using upstream = await startUpstream({ status: 404 });
    await using own = await startExecutor({
      ...{ hosts: ['api.test'], networks: ['127.0.0.0/8'], clock },
      resolve: async () => {
        lookups += 1;
        if (lookups > 1) return [{ address: '127.0.0.1', family: 4 }];
        throw Object.assign(new Error('later'), { code: 'EAI_AGAIN' });
      },
    });
    const action = { method: 'DELETE', url: `http://api.test:${upstream.port}/` };
    const failure = await own.failure(action);
    expect(failure).toMatchObject({ status: 404, attempts: 2 });
    expect(failure.message).not.toContain(DOUBT);
  });
});
