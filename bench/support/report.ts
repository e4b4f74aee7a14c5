import { median } from './figures.ts';
import { type Latency, LOADED_BY } from './load.ts';
import { type Figures, type Result, SIDES, type Start } from './race.ts';

/** The load generator must be at least this many times as fast as the server under test. */
const ENOUGH = 1.5;

export function report(results: readonly Result[], upstream: string): void {
  const summaries = results.map((result) => ({ ...summaryOf(result), load: LOADED_BY, upstream }));
  if (process.stdout.isTTY) print(summaries);
  else for (const summary of summaries) console.log(JSON.stringify(summary));
  for (const { contest, headroom } of summaries.filter((each) => !(each.headroom >= ENOUGH))) {
    console.error(
      `WARNING: ${contest}: the load generator reaches only ${headroom} times the measured rate, ` +
        'so the rates are unreliable; install wrk and nginx, which are faster than Node.',
    );
  }
}

type Summary = ReturnType<typeof summaryOf> & { load: string; upstream: string };

function summaryOf({ contest, ceilingPerSecond, starts }: Result) {
  const sides = SIDES.map((side) => [side, medians(starts.map((start) => start[side]))] as const);
  const fastest = Math.max(...sides.map(([, { perSecond }]) => perSecond));
  return {
    contest,
    byRate: ratios(starts, ({ bare, ours }) => ours.perSecond / bare.perSecond),
    byCpu: ratios(starts, ({ bare, ours }) => bare.cpuMicroseconds / ours.cpuMicroseconds),
    ...(Object.fromEntries(sides) as Record<(typeof SIDES)[number], Figures>),
    ceilingPerSecond: Math.round(ceilingPerSecond),
    headroom: round(ceilingPerSecond / fastest),
  };
}

function ratios(starts: readonly Start[], ratio: (start: Start) => number) {
  const all = starts.map((start) => round(ratio(start)));
  return { median: median(all), starts: all };
}

function medians(all: readonly Figures[]): Figures {
  const medianOf = (figure: (each: Figures) => number) => median(all.map(figure));
  const perSecond = Math.round(medianOf((each) => each.perSecond));
  const cpuMicroseconds = round(medianOf((each) => each.cpuMicroseconds));
  const latencies = all.flatMap(({ latency }) => latency ?? []);
  if (latencies.length === 0) return { perSecond, cpuMicroseconds };
  const at = (figure: keyof Latency | 'perSecond') =>
    round(median(latencies.map((each) => each[figure])));
  const latency = {
    perSecond: Math.round(at('perSecond')),
    p50: at('p50'),
    p99: at('p99'),
    p999: at('p999'),
  };
  return { perSecond, cpuMicroseconds, latency };
}

const round = (value: number) => Math.round(value * 100) / 100;

function print(summaries: readonly Summary[]): void {
  const [first] = summaries;
  console.log(
    `Load by ${first?.load}, upstream: ${first?.upstream}. A ratio above 1 means that our server is faster than the bare one.\n`,
  );
  for (const { contest, byRate, byCpu, bare, ours, ceilingPerSecond, headroom } of summaries) {
    console.log(contest);
    console.log(`  by processor time  ${byCpu.median.toFixed(2)}   (${byCpu.starts.join(' ')})`);
    console.log(`  by rate            ${byRate.median.toFixed(2)}   (${byRate.starts.join(' ')})`);
    console.log(`  bare               ${figures(bare)}`);
    console.log(`  ours               ${figures(ours)}`);
    console.log(`  no server          ${ceilingPerSecond}/s, ${headroom} times the faster one\n`);
  }
}

function figures({ perSecond, cpuMicroseconds, latency }: Figures): string {
  const rate = `${perSecond}/s, ${cpuMicroseconds} µs of processor time`;
  if (latency === undefined) return rate;
  return `${rate}; at ${latency.perSecond}/s p50 ${latency.p50}, p99 ${latency.p99}, p99.9 ${latency.p999} ms`;
}
