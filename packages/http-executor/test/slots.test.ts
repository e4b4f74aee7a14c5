import { describe, expect, it, vi } from 'vitest';
import { Cancelled, Refusal } from '../src/index.ts';
import { Slots } from '../src/slots.ts';
import { ManualClock, NAMES, NEVER } from './support/stages.ts';

function setUp(maxExecutions: number, maxExecutionsPerHost: number) {
  const clock = new ManualClock();
  const limits = { maxExecutions, maxExecutionsPerHost, maxWaitMs: 100 };
  const slots = new Slots(limits, clock, NAMES);
  const entered: string[] = [];
  const running: { host: string; end: () => void }[] = [];
  /** Resolves once the execution runs. */
  const enter = (host: string, as = host, caller = NEVER) => {
    const entering = new Promise<void>((resolve, reject) => {
      const execution = () => {
        entered.push(as);
        resolve();
        return new Promise<void>((end) => void running.push({ host, end }));
      };
      slots.run(host, caller, execution).catch(reject);
    });
    entering.catch(() => {});
    return entering;
  };
  /** Ends the first execution that runs for a host. */
  const end = (host: string) => {
    const index = running.findIndex((each) => each.host === host);
    running.splice(index, 1)[0]?.end();
  };
  return { clock, end, entered, enter };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Slots', () => {
  it('lets in as many as there is room for, overall and per host', async () => {
    const { entered, enter, end } = setUp(3, 2);
    for (const host of ['a', 'a', 'a', 'b', 'c']) enter(host);
    await settled();
    expect(entered).toEqual(['a', 'a', 'b']);
    end('b');
    await settled();
    expect(entered).toEqual(['a', 'a', 'b', 'c']);
    end('a');
    await settled();
    expect(entered).toEqual(['a', 'a', 'b', 'c', 'a']);
  });

  it('serves those who wait in the order of arrival, one per release', async () => {
    const { entered, enter, end, clock } = setUp(1, 1);
    for (const name of ['1', '2', '3']) enter('a', name);
    end('a');
    await settled();
    expect(entered).toEqual(['1', '2']);
    end('a');
    await settled();
    expect([entered, clock.timers]).toEqual([['1', '2', '3'], 0]);
  });

  it.each([
    ['overall', 1, 2, '1 executions (THE_MAX)'],
    ['for the host', 2, 1, '1 executions for `a` (THE_MAX_PER_HOST)'],
  ])('refuses who has waited too long: full %s', async (_name, max, perHost, full) => {
    const { enter, clock, end, entered } = setUp(max, perHost);
    await enter('a', 'first');
    const waiting = enter('a', 'second');
    clock.advance(99);
    await settled();
    clock.advance(1);
    const error = await waiting.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({
      code: 'TooManyRequests',
      message: `Nothing was sent; send the action again after \`retry-after\`: ${full} are in flight, and none ended within 100 ms.`,
    });
    end('a');
    await enter('a', 'third');
    expect(entered).toEqual(['first', 'third']);
  });

  it('forgets a caller that leaves, and its listener', async () => {
    const { enter, clock, end, entered } = setUp(1, 1);
    await enter('a', 'first');
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const leaving = enter('a', 'gone', controller.signal);
    const last = enter('a', 'last');
    controller.abort();
    await expect(leaving).rejects.toBeInstanceOf(Cancelled);
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
    end('a');
    await last;
    expect([entered, clock.timers]).toEqual([['first', 'last'], 0]);
  });

  it('gives the turn of a caller that leaves in that moment to the next one', async () => {
    const { enter, end, entered } = setUp(1, 1);
    await enter('a', 'first');
    const controller = new AbortController();
    const leaving = enter('a', 'gone', controller.signal);
    const last = enter('a', 'last');
    end('a');
    controller.abort();
    await expect(leaving).rejects.toBeInstanceOf(Cancelled);
    await last;
    expect(entered).toEqual(['first', 'last']);
  });

  it('does not let a caller wait that is gone already', async () => {
    const { enter, clock } = setUp(1, 1);
    await enter('a');
    await expect(enter('a', 'gone', AbortSignal.abort())).rejects.toBeInstanceOf(Cancelled);
    expect(clock.timers).toBe(0);
  });
});
