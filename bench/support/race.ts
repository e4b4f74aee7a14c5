import autocannon from 'autocannon';
import type { Subject } from './subject.ts';

/** A server under test and the request that it is asked over and over. */
export interface Lane {
  readonly name: string;
  readonly subject: Subject;
  readonly path: string;
  readonly body: unknown;
}

export interface LaneResult {
  readonly name: string;
  /** Medians over the rounds. */
  readonly requestsPerSecond: number;
  /** Of the first lane's, in the same round of the same start. */
  readonly ratio: number;
  /** Processor time of the server for one request. */
  readonly cpuMicroseconds: number;
}

/** The server under test has a core of its own; the load shares the other one with what the server calls. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const STARTS = Number(process.env.STARTS ?? 4);
const ROUNDS = Number(process.env.ROUNDS ?? 8);
const SECONDS = Number(process.env.SECONDS ?? 1);
const CONNECTIONS = 32;
const WARM_UP_S = 3;

interface Sample {
  readonly perSecond: number;
  readonly cpu: number;
}

/**
 * Loads the lanes in turn, round after short round, forth and back, so that all of them meet the same machine; and all
 * of that with servers that are started anew, since one and the same program is a tenth faster or slower from one start
 * to the next. `enter` starts the servers, which end with the stack.
 */
export async function race(enter: (servers: AsyncDisposableStack) => Promise<Lane[]>): Promise<LaneResult[]> {
  const samples = new Map<string, Sample[]>();
  for (let start = 1; start <= STARTS; start++) {
    await using servers = new AsyncDisposableStack();
    const lanes = await enter(servers);
    for (const lane of lanes) await load(lane, WARM_UP_S);
    for (let round = 1; round <= ROUNDS; round++) {
      for (const lane of round % 2 === 1 ? lanes : lanes.toReversed()) {
        const sample = await load(lane, SECONDS);
        samples.set(lane.name, [...(samples.get(lane.name) ?? []), sample]);
        const progress = `start ${start} of ${STARTS}, round ${round} of ${ROUNDS}`;
        console.error(`${progress}: ${lane.name} ${Math.round(sample.perSecond)}/s`);
      }
    }
  }
  const [first] = [...samples.values()];
  return [...samples].map(([name, list]) => ({
    name,
    requestsPerSecond: median(list.map(({ perSecond }) => perSecond)),
    ratio: median(list.map(({ perSecond }, round) => perSecond / (first?.[round]?.perSecond ?? Number.NaN))),
    cpuMicroseconds: median(list.map(({ cpu }) => cpu)),
  }));
}

/** Keeps every connection busy for a while; anything but 200 is an error, since a refusal is cheaper than an answer. */
async function load({ name, subject, path, body }: Lane, seconds: number): Promise<Sample> {
  const cpu = subject.cpuMs();
  const result = await autocannon({
    url: `${subject.url}${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    connections: CONNECTIONS,
    duration: seconds,
  });
  const answered = result['2xx'];
  if (result.non2xx + result.errors > 0 || answered === 0)
    throw new Error(`${name}: not every request was answered with 200.`);
  return { perSecond: answered / result.duration, cpu: ((subject.cpuMs() - cpu) * 1_000) / answered };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** A table on a terminal, JSON lines on a pipe. */
export function report(results: readonly LaneResult[]): void {
  for (const result of results) {
    const { name, requestsPerSecond, ratio, cpuMicroseconds } = result;
    const shown = [
      `${Math.round(requestsPerSecond)}/s`.padStart(9),
      `${cpuMicroseconds.toFixed(0)} µs CPU`.padStart(11),
    ];
    const line = `${name.padEnd(34)}${shown.join('  ')}  ratio ${ratio.toFixed(2)}`;
    console.log(process.stdout.isTTY ? line : JSON.stringify(result));
  }
}
