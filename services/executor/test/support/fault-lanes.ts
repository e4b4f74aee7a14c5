import type { Resolve } from '@gatehouse/http-executor';
import { type Certificate, selfSigned } from '@gatehouse/testing';
import { type FakeClock, fakeClock } from './clock.ts';
import { type Executor, startExecutor } from './executor.ts';
import { ATTEMPT_TIMEOUT_MS } from './fault.ts';
import { MAX_RESPONSE_BYTES } from './response-faults.ts';

/**
 * An executor that one case has to itself, so that the waits on its clock are those of
 * the case.
 */
export interface Lane {
  readonly executor: Executor;
  readonly clock: FakeClock;
  /** Whether time passes: an attempt must not end before it has met its fault. */
  timePasses: () => boolean;
}

export interface Lanes extends AsyncDisposable {
  readonly certificate: Certificate;
  /** Where each host name leads. */
  readonly names: Map<string, Resolve>;
  /** Lends a lane for as long as the work takes. */
  use<T>(work: (lane: Lane) => Promise<T>): Promise<T>;
}

const STEP_MS = 10;

export async function openLanes(): Promise<Lanes> {
  const certificate = await selfSigned('*.api.test');
  const names = new Map<string, Resolve>();
  const resolve: Resolve = (hostname, callback) => names.get(hostname)?.(hostname, callback);
  const all: Lane[] = [];
  const free: Lane[] = [];
  const open = async () => {
    const lane = await startLane(resolve, certificate);
    all.push(lane);
    return lane;
  };
  return {
    certificate,
    names,
    use: async (work) => {
      const lane = free.pop() ?? (await open());
      // In steps, so that drops of a dripped answer fall between them.
      const step = () => lane.timePasses() && lane.clock.pass(ATTEMPT_TIMEOUT_MS / 5);
      const steps = setInterval(step, STEP_MS);
      try {
        return await work(lane);
      } finally {
        clearInterval(steps);
        free.push(lane);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(all.map(({ executor }) => executor[Symbol.asyncDispose]()));
    },
  };
}

async function startLane(resolve: Resolve, { cert }: Certificate): Promise<Lane> {
  const clock = fakeClock();
  const env = {
    HTTP_EXECUTOR_ALLOWED_HOSTS: '*.api.test',
    HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
    HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_TIMEOUT_MS),
    HTTP_EXECUTOR_MAX_RESPONSE_BYTES: String(MAX_RESPONSE_BYTES),
  };
  const executor = await startExecutor({ env, clock, connect: { resolve, ca: cert } });
  return { executor, clock, timePasses: () => false };
}
