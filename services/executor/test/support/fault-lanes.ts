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
  /**
   * Whether the time of an attempt may end. On a busy machine it would otherwise end
   * before the fault was met, or where the attempt is a good one; so cases do not depend
   * on how fast the machine is.
   */
  mayTimeOut: () => boolean;
}

export interface Lanes extends AsyncDisposable {
  readonly certificate: Certificate;
  /** Where each host name leads. */
  readonly names: Map<string, Resolve>;
  /** Lends a lane for as long as the work takes. */
  use<T>(work: (lane: Lane) => Promise<T>): Promise<T>;
}

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
      try {
        return await work(lane);
      } finally {
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
  const timer = (ms: number, callback: () => void) => {
    const due = () => {
      if (lane.mayTimeOut()) callback();
      else pending = setTimeout(due, 10);
    };
    let pending = setTimeout(due, ms);
    return () => clearTimeout(pending);
  };
  const executor = await startExecutor({
    env,
    clock: { ...clock, timer },
    connect: { resolve, ca: cert },
  });
  const lane: Lane = { executor, clock, mayTimeOut: () => false };
  return lane;
}
