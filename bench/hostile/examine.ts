import { setTimeout as delay } from 'node:timers/promises';
import { resetPeak, residentMib } from '../support/process-figures.ts';
import { type Attack, type Blow, KIB, MIB, RESPONSE_LIMIT } from './attack.ts';
import { type Answer, talk } from './client.ts';
import { readAnswer } from './contract.ts';
import { type Prober, startProber } from './prober.ts';
import { type Service, startService } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';
import { warmUp } from './warm-up.ts';

/** Contract section 3, "Bounds"; the slack is what V8 keeps beyond what it needs. */
export interface Bounds {
  readonly delayMs: number;
  readonly slackMib: number;
}

const GROWTH_FACTOR = 8;
/** Of each response under way at once: it, and the answer that it becomes. */
const IN_FLIGHT_FACTOR = 3;
/** The bound is for one request; those that come at once may each hold up others for so long. */
const EACH_OF_MANY_MS = 2;
const ANSWER_FACTOR = 2;
const ANSWER_SLACK = 64 * KIB;

/** What one attack came to. */
export interface Finding {
  readonly attack: string;
  readonly finding: string | undefined;
  readonly outcome: string;
  readonly survived: boolean;
  /** The longest wait of `GET /healthz`, the service's own part of it, and that when idle. */
  readonly wallMs: number;
  readonly heldMs: number;
  readonly idleMs: number;
  readonly growthMib: number;
  readonly answerBytes: number;
  readonly tookMs: number;
  /** Whether others waited longer than they may. */
  readonly late: boolean;
  /** Every bound that was broken. */
  readonly broken: readonly string[];
}

/** A warm service under examination, with a prober and an upstream. */
export interface Stage extends AsyncDisposable {
  readonly service: Service;
  readonly upstream: Upstream;
  readonly prober: Prober;
  readonly idleMs: number;
}

const IDLE_MS = 400;
const LAST = 'GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
/** In which what an attack leaves behind shows. */
const SETTLE_MS = 15;

export async function setStage(attack: Attack): Promise<Stage> {
  const upstream = await startUpstream();
  const service = await startService(attack);
  await warmUp(service, upstream, attack.service ?? 'executor');
  const prober = startProber(service);
  await delay(IDLE_MS);
  await prober.report();
  await delay(IDLE_MS);
  const idle = await prober.report();
  const dispose = async () => {
    await prober[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  };
  return { service, upstream, prober, idleMs: idle.heldMs, [Symbol.asyncDispose]: dispose };
}

const failed = (error: Error): Blow => ({
  answers: [],
  wrong: `the attack came to no end: ${error.message}`,
});

/** Attacks, and says how the service stood it. */
export async function examine(attack: Attack, stage: Stage, bounds: Bounds): Promise<Finding> {
  const { service, upstream, prober } = stage;
  const { url, port, pid } = service;
  upstream.reset();
  const strike = attack.prepare({ url, port, pid, upstream });
  resetPeak(pid);
  const beforeMib = residentMib(pid, 'VmRSS');
  await prober.report();
  const started = performance.now();
  const { answers, responseBytes = 0, wrong } = await strike().catch(failed);
  const tookMs = performance.now() - started;
  await delay(SETTLE_MS);
  // Its answer comes when the loop is free.
  await talk(port, LAST);
  const { wallMs, heldMs, peakMib } = await prober.report();
  const readings = answers.map(readAnswer);
  const faults = readings.flatMap(({ fault }) => fault ?? []);
  const growthMib = peakMib - beforeMib;
  return {
    attack: attack.name,
    finding: attack.finding,
    outcome: service.ended() ?? tally(readings.map(({ label }) => label)),
    survived: service.ended() === undefined,
    ...{ wallMs, heldMs, idleMs: stage.idleMs, growthMib, tookMs },
    answerBytes: largestOf(answers),
    late: heldMs > allowedDelay(attack, stage, bounds),
    broken: [
      ...(service.ended() === undefined ? new Set(faults) : [`it ended: ${service.ended()}`]),
      ...(wrong === undefined ? [] : [wrong]),
      ...brokenBounds(attack, stage, { heldMs, growthMib }, bounds),
      ...brokenSize(answers, responseBytes),
    ],
  };
}

const largestOf = (answers: readonly Answer[]) => Math.max(0, ...answers.map(({ bytes }) => bytes));

function tally(labels: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts]
    .map(([label, times]) => (times === 1 ? label : `${times} × ${label}`))
    .join(', ');
}

/** How long others may wait beside an attack: longer where even an idle service was not quicker. */
function allowedDelay({ atOnce = 1 }: Attack, { idleMs }: Stage, { delayMs }: Bounds): number {
  return Math.max(delayMs, atOnce * EACH_OF_MANY_MS) + idleMs;
}

function brokenBounds(
  attack: Attack,
  stage: Stage,
  { heldMs, growthMib }: Pick<Finding, 'heldMs' | 'growthMib'>,
  bounds: Bounds,
): string[] {
  const { inFlightBytes = 0 } = attack;
  const allowedMs = allowedDelay(attack, stage, bounds);
  const allowedBytes = Math.max(GROWTH_FACTOR * RESPONSE_LIMIT, IN_FLIGHT_FACTOR * inFlightBytes);
  const allowedMib = allowedBytes / MIB + bounds.slackMib;
  const broken = [];
  if (heldMs > allowedMs) {
    broken.push(
      `it held up /healthz for ${Math.round(heldMs)} ms, above ${Math.round(allowedMs)} ms`,
    );
  }
  if (growthMib > allowedMib)
    broken.push(`it grew by ${Math.round(growthMib)} MiB, above ${Math.round(allowedMib)} MiB`);
  return broken;
}

function brokenSize(answers: readonly Answer[], responseBytes: number): string[] {
  const allowed = ANSWER_FACTOR * responseBytes + ANSWER_SLACK;
  const largest = largestOf(answers);
  return largest > allowed ? [`an answer has ${largest} bytes, above ${allowed}`] : [];
}
