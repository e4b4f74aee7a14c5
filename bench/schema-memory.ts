import { memoryOf } from './schema-memory/process-memory.ts';
import { type Service, startService, startUpstream } from './schema-memory/service.ts';

/**
 * Sends many distinct schemas to a real executor and says whether its memory stays flat:
 * `[count]`.
 */
const TOTAL = Number(process.argv[2] ?? 100_000);
const CONCURRENCY = 4;
const POINTS = 20;

/** The first part fills caches and lets the heaps reach their size; it is not judged. */
const WARM_UP = 0.2;
const FLAT = 1.15;

/**
 * One in so many is executed against a local upstream, so that the thread that checks
 * bodies has its share.
 */
const EXECUTED_EVERY = 10;

/** What a planner writes, never the same twice. */
function schemaOf(n: number): object {
  return {
    $id: `https://schemas.test/${n}`,
    type: 'object',
    properties: {
      id: { type: 'integer', minimum: n % 2 },
      name: { type: 'string', pattern: `^(one|n${n})$`, maxLength: 40 },
      tags: { type: 'array', items: { $ref: '#/$defs/tag' }, uniqueItems: true },
      [`extra${n}`]: { type: 'string', format: 'date-time' },
    },
    required: ['id', 'name'],
    $defs: { tag: { enum: ['a', 'b', `c${n}`] } },
  };
}

/**
 * Refused for want of time, as may happen on a busy machine; reported, since such schemas
 * prove little.
 */
let overBudget = 0;

async function send(service: Service, origin: string, n: number): Promise<void> {
  const dryRun = n % EXECUTED_EVERY !== 0;
  const response = await fetch(`${service.url}/execute${dryRun ? '?dry_run=true' : ''}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'GET', url: origin, response_schema: schemaOf(n) }),
  });
  const text = await response.text();
  if (text.includes('longer than its time budget')) overBudget += 1;
  else if (!response.ok || (!dryRun && !text.includes('"outcome":"success"')))
    throw new Error(`schema ${n}: ${text}`);
}

async function sendAll(service: Service, origin: string, from: number, to: number): Promise<void> {
  let next = from;
  const lane = async () => {
    while (next < to) await send(service, origin, next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
}

const started = performance.now();

function report(entry: Record<string, string | number | undefined>): void {
  const line = Object.entries(entry).map(
    ([name, value]) => `${name} ${String(value ?? '-').padStart(7)}`,
  );
  console.log(process.stdout.isTTY ? line.join('   ') : JSON.stringify(entry));
}

/** Peak after the middle over peak before it, both after the warm-up. */
function growth(samples: readonly number[]): number {
  const judged = samples.slice(Math.ceil(samples.length * WARM_UP));
  const middle = judged.length >> 1;
  return Math.max(...judged.slice(middle)) / Math.max(...judged.slice(0, middle));
}

const service = await startService();
const upstream = await startUpstream();
const samples: number[] = [];
try {
  report({ schemas: 0, ...memoryOf(service.pid), seconds: 0 });
  for (let point = 1; point <= POINTS; point++) {
    const [from, to] = [point - 1, point].map((each) => Math.round((each * TOTAL) / POINTS));
    await sendAll(service, upstream.origin, from ?? 0, to ?? 0);
    const memory = memoryOf(service.pid);
    samples.push(memory.rss);
    report({ schemas: to, ...memory, seconds: Math.round((performance.now() - started) / 1_000) });
  }
  const ratio = growth(samples);
  report({
    verdict: ratio < FLAT ? 'flat' : 'growing',
    growth: ratio.toFixed(3),
    peak: Math.max(...samples),
    over_budget: overBudget,
  });
  if (ratio >= FLAT) process.exitCode = 1;
} finally {
  upstream.server.close();
  await service.stop();
}
