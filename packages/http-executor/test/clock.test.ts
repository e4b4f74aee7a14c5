import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../src/clock.ts';

const never = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the system clock', () => {
  it('waits as long as it was asked to', async () => {
    const before = systemClock.now();
    const waited = vi.fn();
    void systemClock.wait(30, never).then(waited);
    await vi.advanceTimersByTimeAsync(29);
    expect(waited).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(waited).toHaveBeenCalledOnce();
    expect(systemClock.now() - before).toBe(30);
  });

  it('stops waiting when the signal aborts, with its reason', async () => {
    const controller = new AbortController();
    const waiting = systemClock.wait(10_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not begin to wait once the signal is aborted', async () => {
    await expect(systemClock.wait(10_000, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
      'enough',
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it('calls back once after the time, unless the timer is cancelled', () => {
    const [due, cancelled] = [vi.fn(), vi.fn()];
    systemClock.timer(10, due);
    const cancel = systemClock.timer(10, cancelled);
    vi.advanceTimersByTime(9);
    expect(due).not.toHaveBeenCalled();
    cancel();
    cancel();
    vi.advanceTimersByTime(60);
    expect([due.mock.calls.length, cancelled.mock.calls.length]).toEqual([1, 0]);
  });

  it('knows the date', () => {
    vi.setSystemTime('2030-01-01T00:00:00Z');
    expect(systemClock.date()).toEqual(new Date('2030-01-01T00:00:00Z'));
  });
});
