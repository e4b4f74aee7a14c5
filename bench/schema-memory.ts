import { reply, startUpstream } from './hostile/upstream.ts';
import { growth, print } from './support/figures.ts';
import { memoryOf } from './support/process-figures.ts';
import { startService } from './support/subject.ts';

/** Whether the memory of an executor stays flat under many distinct schemas: `[count]`. */
const TOTAL = Number(process.argv[2] ?? 100_000);
const CONCURRENCY = 4;
const POINTS = 20;

/** The first part fills caches and lets the heaps reach their size; it is not judged. */
const WARM_UP = 0.2;
const FLAT = 1.15;

/** One in so many is executed, so that the thread that checks bodies has its share. */
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

/** Refused for want of time, as on a busy machine; such schemas prove little. */
let overBudget = 0;

await using service = await startService('executor');
await using upstream = await startUpstream();
upstream.answer(() => reply({ body: '{"id":1,"name":"one"}' }));

async function send(n: number): Promise<void> {
  const dryRun = n % EXECUTED_EVERY !== 0;
  const response = await fetch(`${service.url}/execute${dryRun ? '?dry_run=true' : ''}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'GET', url: upstream.origin, response_schema: schemaOf(n) }),
  });
  const text = await response.text();
  if (text.includes('longer than its time budget')) overBudget += 1;
  else if (!response.ok || (!dryRun && !text.includes('"outcome":"success"')))
    throw new Error(`schema ${n}: ${text}`);
}

async function sendAll(from: number, to: number): Promise<void> {
  let next = from;
  const lane = async () => {
    while (next < to) await send(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
}

const started = performance.now();
const samples: number[] = [];
print({ schemas: 0, ...memoryOf(service.pid), seconds: 0 });
for (let point = 1; point <= POINTS; point++) {
  const [from = 0, to = 0] = [point - 1, point].map((each) => Math.round((each * TOTAL) / POINTS));
  await sendAll(from, to);
  const memory = memoryOf(service.pid);
  samples.push(memory.rss);
  print({ schemas: to, ...memory, seconds: Math.round((performance.now() - started) / 1_000) });
}
const ratio = growth(samples.slice(Math.ceil(POINTS * WARM_UP)));
print({
  verdict: ratio < FLAT ? 'flat' : 'growing',
  growth: ratio.toFixed(3),
  peak: Math.max(...samples),
  over_budget: overBudget,
});
if (ratio >= FLAT) process.exitCode = 1;
