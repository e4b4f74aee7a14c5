import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/index.ts';

const never = new AbortController().signal;

describe('the system clock', () => {
  it('waits as long as it was asked to', async () => {
    const before = systemClock.now();
    await systemClock.wait(30, never);
    expect(systemClock.now() - before).toBeGreaterThanOrEqual(29);
    expect(systemClock.now() - before).toBeLessThan(200);
  });

  it('stops waiting when the signal aborts, with its reason', async () => {
    const controller = new AbortController();
    const before = systemClock.now();
    const waiting = systemClock.wait(10_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(systemClock.now() - before).toBeLessThan(1_000);
  });

  it('does not begin to wait once the signal is aborted', async () => {
    await expect(systemClock.wait(10_000, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
      'enough',
    );
  });

  it('calls back once after the time', async () => {
    let calls = 0;
    systemClock.timer(10, () => {
      calls += 1;
    });
    expect(calls).toBe(0);
    await systemClock.wait(60, never);
    expect(calls).toBe(1);
  });

  it('does not call back when the timer is cancelled', async () => {
    let calls = 0;
    const cancel = systemClock.timer(10, () => {
      calls += 1;
    });
    cancel();
    cancel();
    await systemClock.wait(40, never);
    expect(calls).toBe(0);
  });

  it('knows the date', () => {
    expect(Math.abs(systemClock.date().getTime() - Date.now())).toBeLessThan(1_000);
  });
});
