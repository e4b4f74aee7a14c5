import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventLoopDelay } from '../src/server/event-loop.ts';
import { trackInFlight } from '../src/server/in-flight.ts';
import { shedLoad } from '../src/server/overload.ts';

const SAMPLE_MS = 250;
/** Long beside what a busy machine holds the loop up. */
const STALL_MS = 160;

// Samples are taken when a test says so; what they measure is real.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const sample = () => vi.advanceTimersByTime(SAMPLE_MS);

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Blocks the loop three times, which turns in between. */
async function stalls(): Promise<void> {
  for (const _ of [1, 2, 3]) {
    block(STALL_MS);
    await turn();
  }
}

/** Lets the loop turn for some ten ticks of what measures it. */
async function rest(): Promise<void> {
  const until = performance.now() + STALL_MS;
  while (performance.now() < until) await turn();
}

describe('the delay of the event loop', () => {
  let loop: EventLoopDelay;
  beforeEach(async () => {
    loop = new EventLoopDelay();
    loop.start();
    await rest();
    sample();
  });
  afterEach(() => loop.stop());

  it('is known after two samples of stalls, and gone with the first sample without', async () => {
    await stalls();
    sample();
    expect(loop.meanMs).toBeLessThan(STALL_MS / 2);
    await stalls();
    sample();
    const late = loop.meanMs;
    expect(late).toBeGreaterThan(STALL_MS / 2);
    await rest();
    sample();
    expect(loop.meanMs).toBeLessThan(late / 2);
  });

  it('is that of one stall only while it lasts: it is no load', async () => {
    block(4 * SAMPLE_MS);
    sample();
    await rest();
    sample();
    expect(loop.meanMs).toBeLessThan(SAMPLE_MS);
  });

  it('is the whole time where the loop has not turned for two samples', () => {
    for (const _ of [1, 2]) {
      block(SAMPLE_MS + 10);
      sample();
    }
    expect(loop.meanMs).toBeGreaterThan(SAMPLE_MS);
  });

  it('keeps what it measures when a scraper reads it', async () => {
    await stalls();
    sample();
    await stalls();
    expect(loop.read().max).toBeGreaterThan(STALL_MS / 2);
    sample();
    await stalls();
    sample();
    expect(loop.meanMs).toBeGreaterThan(STALL_MS / 2);
  });
});

describe('a limit of the delay', () => {
  it.each([
    [499, 'taken'],
    [500, 'taken'],
    [500.1, 'refused'],
  ])('of 500 ms: with %d ms a request is %s', (meanMs, fate) => {
    const loop = Object.assign(new EventLoopDelay(), { meanMs });
    const hook = shedLoad(trackInFlight([]), loop, { maxInFlight: 1, maxEventLoopDelayMs: 500 });
    const done = vi.fn();
    const request = { url: '/free' } as FastifyRequest;
    hook.call({} as never, request, {} as FastifyReply, done);
    expect(done.mock.calls).toEqual([
      fate === 'taken' ? [] : [expect.objectContaining({ code: 'Overloaded' })],
    ]);
  });
});
