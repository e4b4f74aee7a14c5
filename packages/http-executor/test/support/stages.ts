import type { OutboundRequest } from '../../src/guard/guard.ts';
import { type Clock, createSandbox } from '../../src/index.ts';
import type { ResponseHandler, Transport, WireRequest } from '../../src/transport.ts';

export const NEVER = new AbortController().signal;

/** A clock whose time passes only by `advance`. */
export class ManualClock implements Clock {
  #now = 1_000;
  readonly #timers = new Set<{ at: number; callback: () => void }>();
  readonly waits: number[] = [];

  now = (): number => this.#now;
  date = (): Date => new Date('2030-01-01T00:00:00Z');

  get timers(): number {
    return this.#timers.size;
  }

  timer = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Passes at once, and the time with it. */
  wait = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    this.waits.push(ms);
    this.advance(ms);
  };

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue;
      timer.callback();
    }
  }
}

export const NAMES = {
  allowedHosts: 'THE_HOSTS',
  allowedNetworks: 'THE_NETWORKS',
  maxExecutions: 'THE_MAX',
  maxExecutionsPerHost: 'THE_MAX_PER_HOST',
};

export const sandbox = createSandbox(
  ['a.test', 'b.test', '*.wild.test', 'xn--mnchen-3ya.test', '[::1]:8080'],
  ['10.0.0.0/8'],
  NAMES,
);

export function requestTo(url: string, rest: Partial<OutboundRequest> = {}): OutboundRequest {
  const defaults = {
    method: 'GET',
    headers: new Map(),
    body: undefined,
    responseType: 'json',
  } as const;
  return { ...defaults, url: new URL(url), ...rest };
}

/** Plays one script per request, and keeps the requests and how many were aborted. */
export function scripted(...scripts: ((handler: ResponseHandler) => void)[]) {
  const requests: WireRequest[] = [];
  const played = { requests, aborted: 0 };
  const transport: Transport = (request, handler) => {
    const script = scripts[Math.min(requests.length, scripts.length - 1)];
    requests.push(request);
    queueMicrotask(() => script?.(handler));
    return () => {
      played.aborted += 1;
    };
  };
  return {
    ...played,
    transport,
    get abortedCount() {
      return played.aborted;
    },
  };
}

/** A response with these headers and this body. */
export function answer(status: number, headers: Record<string, string | string[]> = {}, body = '') {
  return (handler: ResponseHandler) => {
    handler.onStage('sending');
    handler.onHeaders({ status, headers });
    if (body !== '') handler.onData(Buffer.from(body), () => {});
    handler.onEnd();
  };
}
