import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const SAMPLE_MS = 250;
const NS_PER_MS = 1e6;

/** Several scrapers share one reading, so that none resets the figures of another. */
const READING_MS = 5_000;

/** How late the event loop runs, in milliseconds; measured from `start` to `stop`. */
export class EventLoopDelay {
  /** The lower mean of the latest two samples, since one stall is no load. */
  meanMs = 0;
  /** Times between two ticks of a timer, in nanoseconds. */
  readonly #intervals = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #timer: NodeJS.Timeout | undefined;
  #latest = { at: 0, count: 0, sumNs: 0, meanMs: 0 };
  #reading = { p50: 0, p99: 0, max: 0 };
  #readAt = Number.NEGATIVE_INFINITY;

  start(): void {
    this.#intervals.enable();
    this.#latest.at = performance.now();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#intervals.disable();
  }

  /** Since the previous reading, at least 5 s ago. */
  read(): { readonly p50: number; readonly p99: number; readonly max: number } {
    const now = performance.now();
    if (now - this.#readAt < READING_MS) return this.#reading;
    const [p50, p99] = [50, 99].map((percent) => this.#intervals.percentile(percent));
    this.#reading = { p50: lateMs(p50), p99: lateMs(p99), max: lateMs(this.#intervals.max) };
    this.#readAt = now;
    this.#intervals.reset();
    this.#latest = { ...this.#latest, at: now, count: 0, sumNs: 0 };
    return this.#reading;
  }

  #sample(): void {
    const at = performance.now();
    const { count, mean } = this.#intervals;
    const before = this.#latest;
    const ticks = count - before.count;
    // `read` has just begun anew.
    if (ticks === 0 && at - before.at < SAMPLE_MS) return;
    const sumNs = count === 0 ? 0 : count * mean;
    // No tick: the loop was blocked for the whole time.
    const meanMs = ticks === 0 ? at - before.at : lateMs((sumNs - before.sumNs) / ticks);
    this.meanMs = Math.min(before.meanMs, meanMs);
    this.#latest = { at, count, sumNs, meanMs };
  }
}

function lateMs(intervalNs = 0): number {
  return Math.max(0, intervalNs / NS_PER_MS - RESOLUTION_MS);
}
