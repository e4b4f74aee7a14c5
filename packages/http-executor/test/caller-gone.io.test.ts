import { METHODS } from '@gatehouse/contracts';
import { shared, startRawUpstream, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { type AttemptEnd, Cancelled } from '../src/index.ts';
import { fakeClock } from './support/clock.ts';
import { startExecutor, type TestExecutor } from './support/executor.ts';

// This clock never waits between attempts, so an unwanted attempt would arrive at once.
const executor = shared(() => startExecutor({ clock: fakeClock() }));
const elsewhere = shared(() => startUpstream());

/**
 * Runs another execution. When it ends, any further attempt of an earlier execution would have
 * arrived as well.
 */
const exchange = () => executor().success({ method: 'GET', url: elsewhere().origin });
const soon = <T>(value: () => T) => expect.poll(value, { interval: 5 });

/** Starts an action. Returns a function that cancels it, and a list of how its attempts ended. */
function call(action: object, by: TestExecutor = executor()) {
  const controller = new AbortController();
  const ends: AttemptEnd[] = [];
  const observe = () => ({ ended: (end: AttemptEnd) => void ends.push(end) });
  const outcome = by.outcome(action, { signal: controller.signal, observe });
  const leave = async () => {
    controller.abort();
    await expect(outcome).rejects.toBeInstanceOf(Cancelled);
  };
  outcome.catch(() => {});
  return { leave, ends };
}

describe('a caller that goes away', () => {
  it('during a request of any method closes it, and there is no further attempt', async () => {
    for (const method of METHODS) {
      await using upstream = await startRawUpstream();
      const { leave, ends } = call({ method, url: upstream.origin });
      await soon(() => upstream.requests).toBe(1);
      await leave();
      await soon(() => upstream.open).toBe(0);
      await exchange();
      const { requests, connections } = upstream;
      expect({ requests, connections }, method).toEqual({ requests: 1, connections: 1 });
      expect(ends).toMatchObject([{ classification: 'cancelled', bytes: 0 }]);
    }
  });

  it('during a response body closes the connection', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{'),
    });
    const { leave } = call({ method: 'GET', url: upstream.origin });
    await soon(() => upstream.requests).toBe(1);
    await exchange();
    await leave();
    await soon(() => upstream.open).toBe(0);
  });

  it('between two attempts prevents the second, and frees its slot at once', async () => {
    await using upstream = await startUpstream({ status: 503 });
    const waits: AbortSignal[] = [];
    const wait = (_ms: number, signal: AbortSignal) => {
      waits.push(signal);
      return new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    };
    await using busy = await startExecutor({
      clock: { ...fakeClock(), wait },
      maxExecutions: 1,
      maxWaitMs: 60_000,
    });
    const { leave, ends } = call({ method: 'GET', url: upstream.origin }, busy);
    await soon(() => waits.length).toBe(1);
    await leave();
    await busy.failure({ method: 'POST', url: upstream.origin });
    expect(upstream.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(ends).toHaveLength(1);
  });

  it('between two hops cancels the second', async () => {
    await using second = await startRawUpstream();
    await using first = await startUpstream({ status: 307, headers: { location: second.origin } });
    const { leave } = call({ method: 'GET', url: first.origin });
    await soon(() => second.requests).toBe(1);
    await leave();
    await soon(() => second.open).toBe(0);
  });

  it('during a TLS handshake closes the socket', async () => {
    await using upstream = await startRawUpstream();
    const { leave } = call({ method: 'GET', url: `https://localhost:${upstream.port}/` });
    await soon(() => upstream.connections).toBe(1);
    await leave();
    await soon(() => upstream.open).toBe(0);
  });

  it('before the execution begins prevents any request', async () => {
    await using upstream = await startRawUpstream();
    const signal = AbortSignal.abort();
    const action = { method: 'GET', url: upstream.origin };
    await expect(executor().outcome(action, { signal })).rejects.toBeInstanceOf(Cancelled);
    await exchange();
    expect(upstream.connections).toBe(0);
  });
});
