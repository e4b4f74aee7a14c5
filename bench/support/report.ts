import { median } from './figures.ts';
import { LOADED_BY } from './load.ts';
import { type Figures, type Result, SIDES, type Side, type Start } from './race.ts';

/** The load generator must be at least this many times as fast as the server under test. */
const ENOUGH = 1.5;

export function report(results: readonly Result[], upstream: string): void {
  const summaries = results.map((result) => ({ ...summaryOf(result), load: LOADED_BY, upstream }));
  if (process.stdout.isTTY) print(summaries);
  else for (const summary of summaries) console.log(JSON.stringify(summary));
  for (const { contest, headroom, byCpu, mostTimesBare = Infinity } of summaries) {
    if (!(headroom >= ENOUGH))
      console.error(
        `WARNING: ${contest}: the load generator reaches only ${headroom} times the measured ` +
          'rate, so the rates are unreliable; install wrk and nginx, which are faster than Node.',
      );
    const timesBare = byCpu['byHand/bare'].median;
    if (timesBare > mostTimesBare)
      console.error(
        `WARNING: ${contest}: the server written by hand needs ${timesBare} times the processor ` +
          `time of the bare one; more than ${mostTimesBare} times is not a fair baseline.`,
      );
  }
}

type Summary = ReturnType<typeof summaryOf> & { load: string; upstream: string };

function summaryOf({ contest, mostTimesBare, ceilingPerSecond, starts }: Result) {
  const sides = SIDES.map((side) => [side, medians(starts.map((start) => start[side]))] as const);
  const fastest = Math.max(...sides.map(([, { perSecond }]) => perSecond));
  const cpu = (above: Side, below: Side) =>
    ratios(starts, (start) => start[above].cpuMicroseconds / start[below].cpuMicroseconds);
  const alone = ratios(starts, ({ byHand, ours }) => Number(byHand.aloneMs) / Number(ours.aloneMs));
  return {
    contest,
    byCpu: {
      'byHand/ours': cpu('byHand', 'ours'),
      'byHand/bare': cpu('byHand', 'bare'),
      'bare/ours': cpu('bare', 'ours'),
    },
    mostTimesBare,
    byRate: {
      'ours/byHand': ratios(starts, (each) => each.ours.perSecond / each.byHand.perSecond),
    },
    ...(alone.median > 0 && { byWaitAlone: { 'byHand/ours': alone } }),
    ...(Object.fromEntries(sides) as Record<Side, Figures>),
    ceilingPerSecond: Math.round(ceilingPerSecond),
    headroom: round(ceilingPerSecond / fastest),
  };
}

interface Ratio {
  readonly median: number;
  readonly starts: readonly number[];
}

function ratios(starts: readonly Start[], ratio: (start: Start) => number): Ratio {
  const all = starts.map((start) => round(ratio(start)));
  return { median: median(all), starts: all };
}

function medians(all: readonly Figures[]): Figures {
  const medianOf = (figure: (each: Figures) => number) => round(median(all.map(figure)));
  const aloneMs = medianOf((each) => each.aloneMs ?? Number.NaN);
  return {
    perSecond: Math.round(medianOf((each) => each.perSecond)),
    cpuMicroseconds: medianOf((each) => each.cpuMicroseconds),
    ...(aloneMs > 0 && { aloneMs }),
  };
}

const round = (value: number) => Math.round(value * 100) / 100;

const EXPLANATION = `
byHand/ours above 1 means that our server needs less processor time than the one written by hand;
byHand/bare is how many times the processor time of the bare server the one written by hand needs.
The wait is the median (p50) of one caller who sends one request after the other.`;

function print(summaries: readonly Summary[]): void {
  const [first] = summaries;
  console.log(`Load by ${first?.load}, upstream: ${first?.upstream}.${EXPLANATION}\n`);
  for (const { contest, byCpu, byRate, byWaitAlone, ...others } of summaries) {
    console.log(contest);
    for (const [name, ratio] of Object.entries(byCpu)) printRatio(`cpu ${name}`, ratio);
    printRatio('rate ours/byHand', byRate['ours/byHand']);
    if (byWaitAlone) printRatio('wait byHand/ours', byWaitAlone['byHand/ours']);
    for (const side of SIDES) console.log(`  ${side.padEnd(24)}${figures(others[side])}`);
    const { ceilingPerSecond, headroom } = others;
    console.log(`  no server               ${ceilingPerSecond}/s, ${headroom} times the fastest\n`);
  }
}

function printRatio(name: string, { median, starts }: Ratio): void {
  console.log(`  ${name.padEnd(24)}${median.toFixed(2)}   (${starts.join(' ')})`);
}

function figures({ perSecond, cpuMicroseconds, aloneMs }: Figures): string {
  const alone = aloneMs === undefined ? '' : `, one caller waits ${aloneMs} ms`;
  return `${perSecond}/s, ${cpuMicroseconds} µs of processor time${alone}`;
}
