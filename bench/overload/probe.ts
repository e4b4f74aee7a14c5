import { setTimeout as delay } from 'node:timers/promises';
import type { Rule } from '../support/figures.ts';

const EVERY_MS = 50;
const GIVE_UP_MS = 10_000;

/** One answer, and how long it took. A failed connection has the status 0. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly ms: number;
}

export type Ask = () => Promise<Answer>;

/** A request that can be sent over and over. */
export function asking(url: string, body?: unknown): Ask {
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const init = body === undefined ? {} : post;
  return async () => {
    const started = performance.now();
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(GIVE_UP_MS) });
      await response.arrayBuffer();
      const retryAfter = response.headers.get('retry-after');
      return { status: response.status, retryAfter, ms: performance.now() - started };
    } catch {
      return { status: 0, retryAfter: null, ms: performance.now() - started };
    }
  };
}

/** Asks at even intervals, whether the answers come or not; stopping resolves with all of them. */
export function probe(ask: Ask): () => Promise<Answer[]> {
  const answers: Promise<Answer>[] = [];
  const timer = setInterval(() => answers.push(ask()), EVERY_MS);
  return () => {
    clearInterval(timer);
    return Promise.all(answers);
  };
}

export function slowest(answers: readonly Answer[]): number {
  return Math.round(Math.max(0, ...answers.map(({ ms }) => ms)));
}

/** The time within which 99 of 100 were answered; the slowest may be the machine's doing. */
function p99(answers: readonly Answer[]): number {
  const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return Math.round(times[Math.floor(times.length * 0.99) - 1] ?? Number.NaN);
}

/** Answers by status. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Whether every answer was a 200. */
export const isGood = (statuses: object): boolean => Object.keys(statuses).join() === '200';

const MAX_HEALTH_MS = 200;

export const healthFigures = (answers: readonly Answer[]) => ({
  health: tally(answers),
  health_p99_ms: p99(answers),
  health_max_ms: slowest(answers),
});
export type HealthFigures = ReturnType<typeof healthFigures>;

export const healthRules = ({ health, health_max_ms }: HealthFigures): Rule[] => [
  ['health is 200', isGood(health)],
  [`health answers within ${MAX_HEALTH_MS} ms`, health_max_ms <= MAX_HEALTH_MS],
];

const IN_A_ROW = 10;
const RECOVERED_MS = 200;

/** Milliseconds until the first of several quick 200s in a row; NaN: they do not come. */
export async function timeToRecover(ask: Ask): Promise<number> {
  const started = performance.now();
  let since = started;
  for (let row = 0; row < IN_A_ROW; ) {
    const sent = performance.now();
    if (sent - started > GIVE_UP_MS) return Number.NaN;
    const { status, ms } = await ask();
    const good = status === 200 && ms < RECOVERED_MS;
    if (!good || row === 0) since = sent;
    row = good ? row + 1 : 0;
    await delay(10);
  }
  return Math.round(since - started);
}
