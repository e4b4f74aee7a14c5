import type { Service } from '../hostile/service.ts';
import type { Upstream } from '../hostile/upstream.ts';
import type { ServiceName } from '../support/subject.ts';
import type { Random } from './random.ts';

/** What a lane has before it. */
export interface Field {
  readonly service: Service;
  readonly upstream: Upstream;
}

/** What came of one input. */
export interface Verdict {
  /** What the service made of it, in a word or two. */
  readonly label: string;
  readonly fault?: string | undefined;
  /** What was sent or answered, to look at. */
  readonly input: Buffer | string;
}

/** One kind of hostile input. */
export interface Lane {
  readonly name: string;
  readonly service: ServiceName;
  readonly settings: (upstream: Upstream) => Readonly<Record<string, string>>;
  readonly atOnce: number;
  /** Called whenever a service was started, before anything is sent to it. */
  readonly open?: (field: Field) => void;
  readonly send: (field: Field, random: Random, index: number) => Promise<Verdict>;
}

/** Reaches nothing but the upstream, whatever URLs are made up. */
export function onlyUpstream({ port }: Upstream): Readonly<Record<string, string>> {
  return {
    HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${port},localhost:${port}`,
    HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '3000',
    HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: '9000',
  };
}
