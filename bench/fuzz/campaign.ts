import { setTimeout as delay } from 'node:timers/promises';
import { type Prober, startProber } from '../hostile/prober.ts';
import { type Service, startService } from '../hostile/service.ts';
import { startUpstream, type Upstream } from '../hostile/upstream.ts';
import { warmUp } from '../hostile/warm-up.ts';
import { Findings } from './findings.ts';
import type { Field, Lane, Verdict } from './lane.ts';
import { random } from './random.ts';
import { Suspects } from './suspects.ts';

/** Which inputs to send. */
export interface Plan {
  readonly seed: number;
  readonly runs: number;
  readonly seconds: number;
  /** These alone, to repeat a finding. */
  readonly only?: readonly number[] | undefined;
}

export interface Summary {
  readonly lane: string;
  readonly seed: number;
  readonly runs: number;
  readonly seconds: number;
  readonly crashes: number;
  readonly status_500: number;
  /** Those that happened again with the same inputs, of the ones that were suspected. */
  readonly stalls: number;
  readonly suspected_stalls: number;
  readonly violations: number;
  readonly longest_delay_ms: number;
  readonly peak_mib: number;
  readonly sorts: Readonly<Record<string, number>>;
  /** What the service made of the inputs. */
  readonly outcomes: Readonly<Record<string, number>>;
}

const MAX_CRASHES = 20;
const WARM_UPS = 300;
const PROGRESS_MS = 30_000;
/** A stall is noticed when it is over; what was answered so long before may be the cause. */
const RECENT_MS = 200;
const DYING_MS = 2_000;

/** The running service, which is replaced when it ends. */
interface Stage {
  readonly field: Field;
  readonly prober: Prober;
}

/** Sends all inputs of a lane and says what came of them. */
export class Campaign {
  readonly #lane: Lane;
  readonly #plan: Plan;
  readonly #findings: Findings;
  readonly #suspects = new Suspects();
  readonly #outcomes = new Map<string, number>();
  /** The inputs under way, and those answered a moment ago with the time of that. */
  readonly #current = new Map<number, number>();
  #stage: Promise<Stage> | undefined;
  #sent = 0;
  #longestMs = 0;
  #peakMib = 0;

  constructor(lane: Lane, plan: Plan) {
    this.#lane = lane;
    this.#plan = plan;
    const again = (indexes: readonly number[]) =>
      `LANES=${lane.name} SEED=${plan.seed} ONLY=${indexes.join(',')} pnpm run fuzz`;
    this.#findings = new Findings(again);
  }

  async run(): Promise<Summary> {
    await using upstream = await startUpstream();
    const started = performance.now();
    const deadline = started + this.#plan.seconds * 1_000;
    const indexes = this.#plan.only?.values() ?? Array(this.#plan.runs).keys();
    const over = () => performance.now() > deadline || this.#findings.counts.crash >= MAX_CRASHES;
    const say = () => console.error(`${this.#lane.name}: ${this.#sent} sent`);
    const progress = setInterval(say, PROGRESS_MS);
    await this.#each(indexes, async (index) => {
      if (!over()) await this.#sendOne(index, upstream);
    });
    clearInterval(progress);
    const suspected = this.#suspects.count;
    await this.#confirmStalls();
    await this.#close();
    return this.#summary((performance.now() - started) / 1_000, suspected);
  }

  /** As many at once as the lane wants. */
  async #each(indexes: Iterator<number>, work: (index: number) => Promise<void>): Promise<void> {
    const lane = async () => {
      for (let next = indexes.next(); !next.done; next = indexes.next()) await work(next.value);
    };
    await Promise.all(Array.from({ length: this.#lane.atOnce }, lane));
  }

  #made(field: Field, index: number): Promise<Verdict> {
    return this.#lane.send(field, random(this.#plan.seed, this.#lane.name, index), index);
  }

  async #sendOne(index: number, upstream: Upstream): Promise<void> {
    this.#stage ??= this.#open(upstream);
    const stage = this.#stage;
    const { field } = await stage;
    this.#current.set(index, Infinity);
    const verdict = await this.#made(field, index);
    this.#sent += 1;
    if (field.service.ended() === undefined && verdict.label !== 'no answer')
      this.#judge(index, verdict);
    else await this.#crashed(stage, index, verdict);
    this.#current.set(index, performance.now());
    for (const [other, at] of this.#current)
      if (at < performance.now() - RECENT_MS) this.#current.delete(other);
  }

  #judge(index: number, { label, fault, input }: Verdict): void {
    this.#outcomes.set(label, (this.#outcomes.get(label) ?? 0) + 1);
    if (this.#plan.only !== undefined) console.error(`${index}: ${label}\n${input}`);
    if (fault === undefined) return;
    const kind = fault === 'status 500' ? 'status 500' : 'violation';
    this.#findings.add({ kind, what: fault, inputs: [{ index, input }] });
  }

  /** The first to notice counts a crash for all; a lone broken connection is a violation. */
  async #crashed(stage: Promise<Stage>, index: number, verdict: Verdict): Promise<void> {
    const { field, prober } = await stage;
    const reason = await endOf(field.service);
    if (reason === undefined) return this.#judge(index, verdict);
    if (this.#stage !== stage) return;
    this.#stage = undefined;
    const inputs = [...this.#current.keys()].map((each) => ({ index: each, input: '' }));
    this.#findings.add({ kind: 'crash', what: reason, inputs });
    await prober[Symbol.asyncDispose]();
  }

  async #open(upstream: Upstream): Promise<Stage> {
    const { service: name, settings } = this.#lane;
    const service = await startService({ service: name, settings: settings(upstream) });
    const field = { service, upstream };
    await warmUp(service, upstream, name);
    this.#lane.open?.(field);
    // Not counted: the first hundreds pay for code that is compiled only then.
    await this.#each(Array(WARM_UPS).keys(), async (n) => void (await this.#made(field, -1 - n)));
    const prober = startProber(service, (ms) => this.#suspects.note(ms, [...this.#current.keys()]));
    return { field, prober };
  }

  async #confirmStalls(): Promise<void> {
    if (this.#stage === undefined) return;
    const { field, prober } = await this.#stage;
    const { heldMs, peakMib } = await prober.report();
    this.#longestMs = heldMs;
    this.#peakMib = peakMib;
    const replay = async (indexes: readonly number[]) => {
      await prober.report();
      await Promise.all(indexes.map((index) => this.#made(field, index)));
      return (await prober.report()).heldMs;
    };
    for (const { ms, indexes } of await this.#suspects.confirm(replay)) {
      const inputs = indexes.map((index) => ({ index, input: '' }));
      const what = `/healthz was held up for ${Math.round(ms)} ms`;
      this.#findings.add({ kind: 'stall', what, inputs });
    }
  }

  async #close(): Promise<void> {
    if (this.#stage === undefined) return;
    const { field, prober } = await this.#stage;
    await prober[Symbol.asyncDispose]();
    await field.service[Symbol.asyncDispose]();
  }

  #summary(seconds: number, suspected: number): Summary {
    const { counts, sorts } = this.#findings;
    return {
      lane: this.#lane.name,
      seed: this.#plan.seed,
      runs: this.#sent,
      seconds: Math.round(seconds),
      crashes: counts.crash,
      status_500: counts['status 500'],
      stalls: counts.stall,
      suspected_stalls: suspected,
      violations: counts.violation,
      longest_delay_ms: Math.round(this.#longestMs),
      peak_mib: Math.round(this.#peakMib),
      sorts,
      outcomes: Object.fromEntries([...this.#outcomes].toSorted(([, a], [, b]) => b - a)),
    };
  }
}

/** Why a service ended; a process takes a while to die. */
async function endOf(service: Service): Promise<string | undefined> {
  for (let waited = 0; waited < DYING_MS && service.ended() === undefined; waited += RECENT_MS)
    await delay(RECENT_MS);
  return service.ended();
}
