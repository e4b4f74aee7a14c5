import { isDeepStrictEqual } from 'node:util';
import { type Answers, type Latency, type Load, load, type Target } from './load.ts';
import type { Subject } from './subject.ts';

/** Speed comparison between one of our services and a handwritten server under the same load. */
export interface Contest {
  readonly name: string;
  readonly path: string;
  readonly body: unknown;
  /** JSON members that the response body must contain, to prove that the server does the work. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly start: Readonly<Record<Side, () => Promise<Subject>>>;
  /** Server that does almost no work, used to measure the load generator's maximum rate. */
  readonly ceiling: Target;
  readonly connections?: number;
  /** Multiplies the duration of each round, because slow requests need longer rounds. */
  readonly patience?: number;
  /** True to also measure latency, at half the request rate that the slower server can handle. */
  readonly latency?: boolean;
}

export const SIDES = ['bare', 'ours'] as const;
type Side = (typeof SIDES)[number];

export interface Figures {
  readonly perSecond: number;
  /** Processor time per request, summed over all threads of the server. */
  readonly cpuMicroseconds: number;
  readonly latency?: Latency & { readonly perSecond: number };
}

export type Start = Readonly<Record<Side, Figures>>;

export interface Result {
  readonly contest: string;
  readonly ceilingPerSecond: number;
  readonly starts: readonly Start[];
}

const STARTS = Number(process.env.STARTS ?? 5);
const ROUNDS = Number(process.env.ROUNDS ?? 6);
const SECONDS = Number(process.env.SECONDS ?? 1);
const WARM_UP_S = 3;
const CEILING_S = 2;
const LATENCY_S = 5;
const CONNECTIONS = 32;
/** Number of connections, large enough that a request rarely has to wait for one. */
const LATENCY_CONNECTIONS = 128;

export async function race(all: readonly Contest[], only = ''): Promise<Result[]> {
  const results = all
    .filter(({ name }) => name.includes(only))
    .map((contest) => ({ contest, ceilingPerSecond: 0, starts: [] as Start[] }));
  for (const result of results) {
    result.ceilingPerSecond = perSecond(
      await load(result.contest.ceiling, loadFor(result.contest, CEILING_S)),
    );
  }
  for (let start = 1; start <= STARTS; start++) {
    for (const { contest, starts } of results) {
      starts.push(await run(contest));
      console.error(`start ${start} of ${STARTS}: ${contest.name} ${progress(starts.at(-1))}`);
    }
  }
  return results.map(({ contest, ...figures }) => ({ contest: contest.name, ...figures }));
}

function loadFor({ connections = CONNECTIONS, patience = 1 }: Contest, seconds: number): Load {
  return { connections, seconds: seconds * patience };
}

const perSecond = ({ answered, seconds }: Answers) => answered / seconds;

function progress(start: Start | undefined): string {
  return SIDES.map((side) => `${side} ${start?.[side].cpuMicroseconds.toFixed(1)} µs`).join(', ');
}

interface Runner {
  readonly subject: Subject;
  readonly target: Target;
  answered: number;
  seconds: number;
  cpuMs: number;
}

/**
 * Measures both servers in new processes, because a program's speed varies by 10% between starts.
 * Short rounds alternate between the servers, so that both run under the same conditions.
 */
async function run(contest: Contest): Promise<Start> {
  await using servers = new AsyncDisposableStack();
  const enter = async (side: Side): Promise<Runner> => {
    const subject = servers.use(await contest.start[side]());
    const target = { url: `${subject.url}${contest.path}`, body: JSON.stringify(contest.body) };
    await verifyAnswer(target, contest.answer);
    await load(target, loadFor(contest, WARM_UP_S));
    return { subject, target, answered: 0, seconds: 0, cpuMs: 0 };
  };
  const bare = await enter('bare');
  const ours = await enter('ours');
  for (let round = 1; round <= ROUNDS; round++) {
    for (const runner of round % 2 === 1 ? [bare, ours] : [ours, bare])
      await runRound(runner, contest);
  }
  const half = Math.min(figuresOf(bare).perSecond, figuresOf(ours).perSecond) / 2;
  const measured = async (runner: Runner): Promise<Figures> => {
    const figures = figuresOf(runner);
    return contest.latency === true
      ? { ...figures, latency: await latencyAt(half, runner.target) }
      : figures;
  };
  return { bare: await measured(bare), ours: await measured(ours) };
}

async function verifyAnswer(
  { url, body = '' }: Target,
  expected: Contest['answer'],
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const answer = (await response.json()) as Record<string, unknown>;
  for (const [name, value] of Object.entries(expected)) {
    if (!isDeepStrictEqual(answer[name], value))
      throw new Error(`${url} returned an unexpected \`${name}\`.`);
  }
}

async function runRound(runner: Runner, contest: Contest): Promise<void> {
  const before = runner.subject.cpuMs();
  const { answered, seconds } = await load(runner.target, loadFor(contest, SECONDS));
  runner.cpuMs += runner.subject.cpuMs() - before;
  runner.answered += answered;
  runner.seconds += seconds;
}

function figuresOf({ answered, seconds, cpuMs }: Runner): Figures {
  return { perSecond: answered / seconds, cpuMicroseconds: (cpuMs * 1_000) / answered };
}

async function latencyAt(rate: number, target: Target): Promise<NonNullable<Figures['latency']>> {
  const answers = await load(target, {
    connections: LATENCY_CONNECTIONS,
    seconds: LATENCY_S,
    rate,
  });
  const { p50, p99, p999 } = answers;
  return { perSecond: perSecond(answers), p50, p99, p999 };
}
