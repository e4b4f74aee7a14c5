import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES_BIN, startPostgres } from '../packages/testing/src/postgres.ts';
import { LOAD_CORE, pin, pinLoad, SERVER_CORE } from './support/cores.ts';
import { median, print } from './support/figures.ts';
import { LOADED_BY, load } from './support/load.ts';
import type { Figures, Loops, StoreSide } from './support/store-loops.ts';
import { type Subject, startService } from './support/subject.ts';
import { startUpstream } from './support/upstream.ts';

// Compares executions with an idempotency key (`keyed`) with plain inserts into the same kind of
// store, with the store's own work for a key, and with executions without a key. Pass `sqlite` or
// `postgres` to use only that store. The environment variables `STARTS`, `ROUNDS` and `SECONDS`
// override the defaults.
const STARTS = Number(process.env.STARTS ?? 3);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 1);
const CONCURRENCIES = [1, 16, 64];
const WARM_UP_CONCURRENCY = 16;

type Side = StoreSide | 'keyed' | 'unkeyed';
type Start = Readonly<Partial<Record<Side, Figures>>>;

interface Contest {
  readonly sides: readonly Side[];
  /** Setting of the executor's store, and of the store that a process without executor uses. */
  readonly stores: (start: number) => readonly [executor: string, loops: string];
}

const EXECUTIONS = ['unkeyed', 'keyed'] as const;

function sqlite(folder: string): Contest {
  const stores = (start: number) =>
    [`sqlite:${join(folder, `${start}-executor`)}`, `sqlite:${join(folder, `${start}`)}`] as const;
  return { sides: ['insert', 'grouped', 'store', ...EXECUTIONS], stores };
}

const postgres = (url: string): Contest => ({
  sides: ['insert', 'store', ...EXECUTIONS],
  stores: () => [url, url],
});

/** Starts a process that works on a store without executing anything. */
async function startLoops(store: string) {
  const child = fork(new URL('support/store-loops.ts', import.meta.url), [store]);
  await once(child, 'message');
  pin(child.pid ?? 0, SERVER_CORE);
  const run = async (loops: Loops): Promise<Figures> => {
    const message = once(child, 'message');
    child.send(loops);
    return (await message)[0];
  };
  return { run, [Symbol.dispose]: () => void child.kill() };
}

async function execute(
  { url, cpuMs }: Subject,
  body: string,
  { isKeyed, connections }: { isKeyed: boolean; connections: number },
): Promise<Figures> {
  const before = cpuMs();
  const target = { url: `${url}/execute`, body, isKeyed };
  const { answered, seconds } = await load(target, { connections, seconds: SECONDS });
  return {
    perSecond: answered / seconds,
    cpuMicroseconds: ((cpuMs() - before) * 1_000) / answered,
  };
}

/** Measures all sides in new processes. Short rounds alternate between the sides. */
async function run({ sides, stores }: Contest, start: number, body: string): Promise<Start[]> {
  const [store, other] = stores(start);
  await using executor = await startService('executor', { HTTP_EXECUTOR_STORE: store });
  using loops = await startLoops(other);
  const measure = (side: Side, concurrency: number) =>
    side === 'keyed' || side === 'unkeyed'
      ? execute(executor, body, { isKeyed: side === 'keyed', connections: concurrency })
      : loops.run({ side, concurrency, seconds: SECONDS });
  for (const side of sides) await measure(side, WARM_UP_CONCURRENCY);

  const all: Start[] = [];
  for (const concurrency of CONCURRENCIES) {
    const rounds = sides.map((side) => ({ side, figures: [] as Figures[] }));
    for (let round = 0; round < ROUNDS; round++)
      for (const { side, figures } of rounds) figures.push(await measure(side, concurrency));
    all.push(Object.fromEntries(rounds.map(({ side, figures }) => [side, medians(figures)])));
  }
  const metrics = await (await fetch(`${executor.url}/metrics`)).text();
  if (/result="replayed"} [1-9]/.test(metrics)) throw new Error('Two executions had the same key.');
  return all;
}

const medians = (all: readonly Figures[]): Figures => ({
  perSecond: median(all.map(({ perSecond }) => perSecond)),
  cpuMicroseconds: median(all.map(({ cpuMicroseconds }) => cpuMicroseconds)),
});

function report(store: string, concurrency: number, starts: readonly Start[]): void {
  const figuresOf = (side: Side) => starts.flatMap((start) => start[side] ?? []);
  const ratio = (above: Side, below: Side) => {
    const [ours, theirs] = [figuresOf(above), figuresOf(below)];
    const all = theirs.map(({ perSecond }, start) => (ours[start]?.perSecond ?? 0) / perSecond);
    return {
      [`${above}/${below}`]: `${median(all).toFixed(2)} (${all.map((each) => each.toFixed(2)).join(' ')})`,
    };
  };
  const grouped = figuresOf('grouped').length > 0 && ratio('store', 'grouped');
  const compared = { ...ratio('keyed', 'insert'), ...ratio('store', 'insert'), ...grouped };
  print({ store, concurrency, ...compared, ...ratio('keyed', 'unkeyed') });
  for (const side of Object.keys(starts[0] ?? {}) as Side[]) {
    const { perSecond, cpuMicroseconds } = medians(figuresOf(side));
    print({ side, 'per second': Math.round(perSecond), 'cpu µs': Math.round(cpuMicroseconds) });
  }
}

pinLoad();
const [, , only = ''] = process.argv;
await using stack = new AsyncDisposableStack();
const upstream = stack.use(await startUpstream(LOAD_CORE));
const body = JSON.stringify({ method: 'GET', url: `${upstream.url}/order` });
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
stack.defer(() => rmSync(folder, { recursive: true }));
print({ load: LOADED_BY, upstream: upstream.program });
const contests: Record<string, Contest> = {};
if ('sqlite'.includes(only)) contests.sqlite = sqlite(folder);
if ('postgres'.includes(only) && POSTGRES_BIN !== undefined)
  contests.postgres = postgres(stack.use(await startPostgres()).url);
for (const [store, contest] of Object.entries(contests)) {
  const starts: Start[][] = [];
  for (let start = 1; start <= STARTS; start++) {
    starts.push(await run(contest, start, body));
    console.error(`start ${start} of ${STARTS}: ${store}`);
  }
  for (const [index, concurrency] of CONCURRENCIES.entries())
    report(
      store,
      concurrency,
      starts.map((each) => each[index] ?? {}),
    );
}
