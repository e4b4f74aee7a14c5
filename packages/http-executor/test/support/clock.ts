import type { Clock } from '../../src/index.ts';

interface FakeClock extends Clock {
  /** Requested waits between attempts, in milliseconds. */
  readonly waits: readonly number[];
  /** Advances the time, and runs the callbacks of all timers that are then due. */
  pass(ms: number): void;
  /** Forgets the waits and sets the date, for a clock that several tests share. */
  restart(date?: Date): void;
}

const NEW_YEAR = new Date('2030-01-01T00:00:00Z');

/**
 * Creates a clock that stands still until a test advances it, so that a busy machine changes
 * nothing. Waits are recorded, and advance the clock instead of waiting.
 */
export function fakeClock(): FakeClock {
  const waits: number[] = [];
  const timers = new Set<{ at: number; callback: () => void }>();
  let now = 0;
  let start = NEW_YEAR.getTime();
  let restarted = 0;
  return {
    waits,
    pass: (ms) => {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now))
        if (timers.delete(timer)) timer.callback();
    },
    restart: (date = NEW_YEAR) => {
      waits.length = 0;
      start = date.getTime();
      restarted = now;
    },
    now: () => now,
    date: () => new Date(start + now - restarted),
    timer: (ms, callback) => {
      // Real timers can also fire early.
      const timer = { at: now + ms - 0.5, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    wait: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
  };
}
