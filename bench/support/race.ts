import { isDeepStrictEqual } from 'node:util';
import { type Answers, type Load, load, type Target } from './load.ts';
import type { Subject } from './subject.ts';

/** Speed comparison between one of our services and two handwritten servers under the same load. */
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
  /** True to also measure how long a caller waits who sends one request after the other. */
  readonly alone?: boolean;
  /** Maximum processor time of a fair `byHand`, as a multiple of that of `bare`. */
  readonly mostTimesBare?: number;
}

/** `bare` does only the job, and `byHand` adds what an engineer writes in an afternoon. */
export const SIDES = ['bare', 'byHand', 'ours'] as const;
export type Side = (typeof SIDES)[number];

export interface Figures {
  readonly perSecond: number;
  /** Processor time per request, summed over all threads of the server. */
  readonly cpuMicroseconds: number;
  /** Median wait of one caller who sends one request after the other, in milliseconds. */
  readonly aloneMs?: number;
}

export type Start = Readonly<Record<Side, Figures>>;

export interface Result {
  readonly contest: string;
  readonly mostTimesBare: number | undefined;
  readonly ceilingPerSecond: number;
  readonly starts: readonly Start[];
}

const STARTS = Number(process.env.STARTS ?? 5);
const ROUNDS = Number(process.env.ROUNDS ?? 6);
const SECONDS = Number(process.env.SECONDS ?? 1);
const WARM_UP_S = 3;
const CEILING_S = 2;
const ALONE_S = 2;
const CONNECTIONS = 32;

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
  return results.map(({ contest: { name, mostTimesBare }, ...figures }) => ({
    contest: name,
    mostTimesBare,
    ...figures,
  }));
}

function loadFor({ connections = CONNECTIONS, patience = 1 }: Contest, seconds: number): Load {
  return { connections, seconds: seconds * patience };
}

const perSecond = ({ answered, seconds }: Answers) => answered / seconds;

function progress(start: Start | undefined): string {
  return SIDES.map((side) => `${side} ${start?.[side].cpuMicroseconds.toFixed(1)} µs`).join(', ');
}

interface Runner {
  readonly side: Side;
  readonly subject: Subject;
  readonly target: Target;
  answered: number;
  seconds: number;
  cpuMs: number;
}

/**
 * Measures all servers in new processes, because a program's speed varies by 10% between starts.
 * Short rounds alternate between the servers, so that all run under the same conditions.
 */
async function run(contest: Contest): Promise<Start> {
  await using servers = new AsyncDisposableStack();
  const enter = async (side: Side): Promise<Runner> => {
    const subject = servers.use(await contest.start[side]());
    const target = { url: `${subject.url}${contest.path}`, body: JSON.stringify(contest.body) };
    await verifyAnswer(target, contest.answer);
    await load(target, loadFor(contest, WARM_UP_S));
    return { side, subject, target, answered: 0, seconds: 0, cpuMs: 0 };
  };
  const runners: Runner[] = [];
  for (const side of SIDES) runners.push(await enter(side));
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % runners.length;
    for (const runner of [...runners.slice(first), ...runners.slice(0, first)])
      await runRound(runner, contest);
  }
  const start: Partial<Record<Side, Figures>> = {};
  for (const runner of runners) {
    const alone = contest.alone === true ? { aloneMs: await waitAlone(runner.target) } : {};
    start[runner.side] = { ...figuresOf(runner), ...alone };
  }
  return start as Start;
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

async function waitAlone(target: Target): Promise<number> {
  const { p50 } = await load(target, { connections: 1, seconds: ALONE_S });
  return p50;
}
