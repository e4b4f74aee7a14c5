import { setImmediate as turn } from 'node:timers/promises';
import { startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';

const soon = <T>(value: () => T) => expect.poll(value, { interval: 5 });
const LARGE = JSON.stringify('x'.repeat(300_000));

it('says so when answers that callers do not read leave no memory', async () => {
  const answers = new Map<string, () => Promise<void>>();
  await using upstream = await startUpstream(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    answers.set(url, () => new Promise((written) => response.end(LARGE, written)));
  });
  const clock = fakeClock();
  const limits = { maxBufferedBytes: 300_000, maxWaitMs: 100, attemptTimeoutMs: 1_000 };
  await using executor = await startExecutor({ ...limits, clock });
  const post = (path: string) => ({ method: 'POST', url: `${upstream.origin}/${path}` });
  const { promise: delivered, resolve: read } = Promise.withResolvers<void>();
  const first = executor.outcome(post('first'), { delivered });
  const second = executor.outcome(post('second'));
  await soon(() => answers.size).toBe(2);
  void answers.get('/first')?.();
  expect(await first).toMatchObject({ outcome: 'success' });

  // A third execution is refused before anything is sent.
  const third = executor.refusal(post('third'));
  await turn();
  clock.pass(100);
  const { code, message } = await third;
  expect(code).toBe('TooManyRequests');
  expect(message).toBe(
    'Nothing was sent, because responses of other executions take all memory, and none became free within 100 ms; send the action again later.',
  );

  // The second one has been sent, so it ends in an outcome.
  await answers.get('/second')?.();
  for (let turns = 0; turns < 20; turns++) await turn();
  clock.pass(900);
  expect(await second).toMatchObject({
    outcome: 'failure',
    error: 'Timeout',
    message: expect.stringMatching(
      /^`127\.0\.0\.1:\d+` accepted the request, but the executor had no memory for the response within 1000 ms, because responses of other executions took it all\. It may have acted on the request\.$/,
    ),
  });
  expect(upstream.requests).toHaveLength(2);

  read();
  const fourth = executor.outcome(post('fourth'));
  await soon(() => answers.size).toBe(3);
  void answers.get('/fourth')?.();
  expect(await fourth).toMatchObject({ outcome: 'success' });
});
