import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../src/clock.ts';

const never = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the system clock', () => {
  it('waits as long as it was asked to', async () => {
    vi.useRealTimers();
    const before = systemClock.now();
    await systemClock.wait(5, never);
    // Timers round to whole milliseconds.
    expect(systemClock.now() - before).toBeGreaterThan(4);
  });

  it('stops waiting when the signal aborts, and does not begin after that', async () => {
    vi.useRealTimers();
    const controller = new AbortController();
    const waiting = systemClock.wait(10_000, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await expect(systemClock.wait(10_000, controller.signal)).rejects.toThrow('aborted');
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
