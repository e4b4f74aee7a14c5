import { describe, expect, it, vi } from 'vitest';
import { DeadlineExceeded, withDeadline } from '../src/deadline.ts';
import { Cancelled } from '../src/index.ts';
import { ManualClock } from './support/stages.ts';

function setUp(work: (signal: AbortSignal) => Promise<string>) {
  const clock = new ManualClock();
  const controller = new AbortController();
  const removed = vi.spyOn(controller.signal, 'removeEventListener');
  const result = withDeadline(work, { clock, ms: 100, caller: controller.signal });
  result.catch(() => {});
  return { clock, controller, removed, result };
}
const forever = () => new Promise<string>(() => {});

describe('withDeadline', () => {
  it('resolves as the work does, and leaves neither timer nor listener', async () => {
    const { clock, removed, result } = setUp(async () => 'done');
    expect(await result).toBe('done');
    expect(clock.timers).toBe(0);
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
  });

  it('rejects as the work does, and leaves neither timer nor listener', async () => {
    const { clock, removed, result } = setUp(async () => {
      throw new Error('of the work');
    });
    await expect(result).rejects.toThrow('of the work');
    expect(clock.timers).toBe(0);
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
  });

  it('rejects when the time is over, not before, and cleans up', async () => {
    const cleanup = vi.fn();
    const { clock, removed, result } = setUp((signal) => {
      signal.addEventListener('abort', cleanup);
      return forever();
    });
    clock.advance(99);
    expect(cleanup).not.toHaveBeenCalled();
    clock.advance(1);
    await expect(result).rejects.toBeInstanceOf(DeadlineExceeded);
    expect(cleanup).toHaveBeenCalledOnce();
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
  });

  it('rejects when the caller leaves, and cleans up', async () => {
    const cleanup = vi.fn();
    const { clock, controller, result } = setUp((signal) => {
      signal.addEventListener('abort', cleanup);
      return forever();
    });
    controller.abort();
    await expect(result).rejects.toBeInstanceOf(Cancelled);
    expect(cleanup).toHaveBeenCalledOnce();
    expect(clock.timers).toBe(0);
  });

  it('does not begin for a caller that is gone', async () => {
    const work = vi.fn(forever);
    const clock = new ManualClock();
    const result = withDeadline(work, { clock, ms: 100, caller: AbortSignal.abort() });
    await expect(result).rejects.toBeInstanceOf(Cancelled);
    expect([work.mock.calls.length, clock.timers]).toEqual([0, 0]);
  });

  it('ends without anything to clean up', async () => {
    const { clock, result } = setUp(forever);
    clock.advance(100);
    await expect(result).rejects.toMatchObject({ name: 'DeadlineExceeded' });
  });
});
