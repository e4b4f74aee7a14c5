import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { brokenOf, type Figures, growth } from '../support/figures.ts';
import { memoryOf } from '../support/process-figures.ts';
import type { Subject } from '../support/subject.ts';
import {
  asking,
  type HealthFigures,
  healthFigures,
  healthRules,
  probe,
  tally,
  timeToRecover,
} from './probe.ts';

/** A service, and the request that it is flooded with. */
export interface Target {
  readonly name: string;
  readonly subject: Subject;
  readonly path: string;
  readonly body: unknown;
  /** At which its throughput is measured; the flood has several times as many. */
  readonly connections: number;
}

const TIMES = 4;
const CAPACITY_S = 4;
const FLOOD_S = Number(process.env.SECONDS ?? 10);
const SETTLE_MS = 2_000;
const MEMORY_EVERY_MS = 250;

const MAX_RECOVERY_MS = 2_000;
const FLAT = 1.25;
const ALLOWED: ReadonlySet<string> = new Set(['200', '429', '503']);

export interface Finding {
  readonly figures: Figures;
  /** The rules that were broken. */
  readonly broken: readonly string[];
}

/** In threads of its own, so that this one can go on asking. */
function load({ subject, path, body }: Target, connections: number, duration: number) {
  return autocannon({
    url: `${subject.url}${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    connections,
    duration,
    workers: 2,
  });
}

type LoadResult = Awaited<ReturnType<typeof load>>;

function byStatus({ statusCodeStats, errors }: LoadResult): Record<string, number> {
  const counts = Object.entries(statusCodeStats ?? {}).map(([status, { count }]) => [
    status,
    count ?? 0,
  ]);
  return { ...Object.fromEntries(counts), ...(errors === 0 ? {} : { errors }) };
}

/** Floods a service with several times the load that it bears, and says how it stood that. */
export async function flood(target: Target): Promise<Finding> {
  const { name, subject, connections } = target;
  const own = asking(`${subject.url}${target.path}`, target.body);
  const capacity = await load(target, connections, CAPACITY_S);
  await delay(SETTLE_MS);
  const before = memoryOf(subject.pid).rss;
  const health = probe(asking(`${subject.url}/healthz`));
  const sampled = probe(own);
  const during: number[] = [];
  const memory = setInterval(() => during.push(memoryOf(subject.pid).rss), MEMORY_EVERY_MS);
  const flooded = await load(target, TIMES * connections, FLOOD_S);
  clearInterval(memory);
  const recovery_ms = await timeToRecover(own);
  const [healthAnswers, samples] = await Promise.all([health(), sampled()]);
  await delay(SETTLE_MS);
  const figures = {
    service: name,
    bears_per_s: Math.round(capacity['2xx'] / capacity.duration),
    connections: TIMES * connections,
    answered_per_s: Math.round(flooded.requests.total / flooded.duration),
    good_per_s: Math.round(flooded['2xx'] / flooded.duration),
    statuses: byStatus(flooded),
    sampled: tally(samples),
    without_retry_after: samples.filter(
      ({ status, retryAfter }) => status > 200 && retryAfter === null,
    ).length,
    ...healthFigures(healthAnswers),
    rss_mib: { before, during: Math.max(...during), after: memoryOf(subject.pid).rss },
    growth: Number(growth(during).toFixed(2)),
    recovery_ms,
  };
  return { figures, broken: brokenBy(figures) };
}

interface Judged extends HealthFigures {
  readonly statuses: Readonly<Record<string, number>>;
  readonly sampled: Readonly<Record<string, number>>;
  readonly without_retry_after: number;
  readonly growth: number;
  readonly recovery_ms: number;
}

function brokenBy(judged: Judged): string[] {
  const statuses = [...Object.keys(judged.statuses), ...Object.keys(judged.sampled)];
  return brokenOf([
    ['answers are 200, 429 or 503', statuses.every((status) => ALLOWED.has(status))],
    ['429 and 503 have Retry-After', judged.without_retry_after === 0],
    ...healthRules(judged),
    ['memory stays flat', judged.growth <= FLAT],
    [`it recovers within ${MAX_RECOVERY_MS} ms`, judged.recovery_ms <= MAX_RECOVERY_MS],
  ]);
}
