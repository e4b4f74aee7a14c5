import type { ServiceName } from '../support/subject.ts';
import type { Answer } from './client.ts';
import type { Upstream } from './upstream.ts';

export const KIB = 1_024;
export const MIB = 1_024 * KIB;

/** The limits that the services have unless they are set. */
export const REQUEST_LIMIT = MIB;
export const RESPONSE_LIMIT = 10 * MIB;

/** Just below the limit, so that a response is read to its end. */
export const SIZE = RESPONSE_LIMIT - KIB;

export const AUTHORIZATION = { authorization: 'Bearer tok_7f3a9c2e5b8d1046af93' };

/** What an attack has before it: a running service, and an upstream that answers as it likes. */
export interface Scene {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly upstream: Upstream;
}

/** One way to hurt a service. */
export interface Attack {
  readonly name: string;
  /** The finding of the review that it repeats, if it is not a relative of one. */
  readonly finding?: string | undefined;
  /** The executor when absent. */
  readonly service?: ServiceName;
  readonly settings?: Readonly<Record<string, string>>;
  /** A module of `preload/` that the service loads first, for what the system around it does. */
  readonly preload?: string;
  /** How many requests it sends at once; one when absent. */
  readonly atOnce?: number;
  /** One of several that differ little. */
  readonly variant?: boolean;
  /** Waits most of its time, so that it is best left beside others. */
  readonly patient?: boolean;
  /** Bytes of response under way at once, decompressed; one response of the limit when absent. */
  readonly inFlightBytes?: number;
  /** Builds what is sent and answered, before anything is measured; what it returns attacks. */
  readonly prepare: (scene: Scene) => () => Promise<Blow>;
}

/** What came of an attack, as the attacker saw it. */
export interface Blow {
  readonly answers: readonly Answer[];
  /** Bytes of the response behind each answer, decompressed. */
  readonly responseBytes?: number;
  /** What is wrong with the answers though they have the right form. */
  readonly wrong?: string | undefined;
}

/** Attacks that differ little from others. */
export const asVariants = (attacks: readonly Attack[]): Attack[] =>
  attacks.map((attack) => ({ ...attack, variant: true }));
