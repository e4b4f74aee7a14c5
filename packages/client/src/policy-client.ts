import {
  type CheckRequest,
  type CheckResponse,
  type Health,
  POLICY_PATHS,
  type ProfileInForce,
  SERVICE_PATHS,
} from '@gatehouse/contracts';
import {
  type BatchResults,
  decisionOf,
  type Explained,
  explainedOf,
  isUnambiguous,
  resultsOf,
} from './answers.ts';
import { type GatehouseError, gatehouseError } from './errors.ts';
import type { Operation } from './exchange.ts';
import type { CallOptions, ServiceOptions } from './options.ts';
import { Service } from './service.ts';

/** A deny in place of an answer that could not be had. */
export interface DenyWithoutAnswer {
  readonly decision: 'deny';
  readonly rules: readonly [];
  /** Why there is no answer. */
  readonly reason: string;
  readonly error: GatehouseError;
}

/** Asks a policy service. Every method throws `ProblemError` or `NoAnswerError`. */
export interface PolicyClient extends AsyncDisposable {
  /** Sent again, up to twice, while the service cannot be reached or is busy. */
  check(request: CheckRequest, options?: CallOptions): Promise<CheckResponse>;
  /** Never throws: without a usable answer, the decision is a deny with its reason. */
  checkOrDeny(
    request: CheckRequest,
    options?: CallOptions,
  ): Promise<CheckResponse | DenyWithoutAnswer>;
  /** As `check`, and says why each rule gave its outcome, and what would be allowed. */
  explain(request: CheckRequest, options?: CallOptions): Promise<Explained>;
  /** Up to 100 checks, each with its own decision or problem, in order. */
  batch(checks: readonly CheckRequest[], options?: CallOptions): Promise<BatchResults>;
  /** The profile that decisions are made by. */
  profile(options?: CallOptions): Promise<ProfileInForce>;
  health(options?: CallOptions): Promise<Health>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;

/** A decision has a few kilobytes. */
const MAX_DECISION_BYTES = 256 * 1024;

/** @throws {TypeError} for a URL, a token or a time limit that cannot be used. */
export function createPolicyClient(options: ServiceOptions): PolicyClient {
  const service = new Service('policy service', TIMEOUT_MS, options);
  const ask = <T>(path: string, body: CheckRequest, read: Reader<T>, call?: CallOptions) =>
    service.call(
      { path, body, read: unambiguous((document) => read(document, body)), ...DECISION },
      call,
    );
  const check = (request: CheckRequest, call?: CallOptions) =>
    ask(POLICY_PATHS.check, request, decisionOf, call);
  return {
    check,
    checkOrDeny: (request, call) => check(request, call).catch(denyFor),
    explain: (request, call) =>
      ask(`${POLICY_PATHS.check}?explain=true`, request, explainedOf, call),
    batch: (checks, call) => {
      const path = POLICY_PATHS.batch;
      const read = unambiguous((document) => resultsOf(document, checks));
      return service.call({ path, body: { checks }, read, repeatable: true }, call);
    },
    profile: (call) => service.get<ProfileInForce>(POLICY_PATHS.profile, call),
    health: (call) => service.get<Health>(SERVICE_PATHS.health, call),
    close: service.close,
    [Symbol.asyncDispose]: service.close,
  };
}

const DECISION = { repeatable: true, maxBytes: MAX_DECISION_BYTES };

type Reader<T> = (document: unknown, check: CheckRequest) => T | undefined;

/** Reads nothing from a text that repeats a member. */
const unambiguous =
  <T>(read: (document: unknown) => T | undefined): Operation<T>['read'] =>
  (document, text) =>
    isUnambiguous(text) ? read(document) : undefined;

function denyFor(cause: unknown): DenyWithoutAnswer {
  const error = gatehouseError(cause);
  return { decision: 'deny', rules: [], reason: error.message, error };
}
