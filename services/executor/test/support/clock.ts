import { type Clock, systemClock } from '@gatehouse/http-executor';

export interface FakeClock extends Clock {
  /** The waits asked for between attempts, in milliseconds. */
  readonly waits: readonly number[];
  /** Forgets the waits so far and sets the date, for a clock that several tests share. */
  restart(date?: Date): void;
}

const NEW_YEAR = new Date('2030-01-01T00:00:00Z');

/**
 * Waits pass at once and are recorded; deadlines stay real, since real servers are
 * measured against them.
 */
export function fakeClock(): FakeClock {
  const waits: number[] = [];
  let start = NEW_YEAR.getTime();
  let skipped = 0;
  let skippedSinceStart = 0;
  return {
    waits,
    restart: (date = NEW_YEAR) => {
      waits.length = 0;
      start = date.getTime();
      skippedSinceStart = 0;
    },
    now: () => systemClock.now() + skipped,
    date: () => new Date(start + skippedSinceStart),
    timer: systemClock.timer,
    wait: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
      skipped += ms;
      skippedSinceStart += ms;
    },
  };
}
