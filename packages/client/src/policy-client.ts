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
  objectOf,
  resultsOf,
} from './answers.ts';
import { GatehouseError } from './errors.ts';
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

/** @throws {TypeError} for a URL, a token or a time limit that cannot be used. */
export function createPolicyClient(options: ServiceOptions): PolicyClient {
  const service = new Service('policy service', TIMEOUT_MS, options);
  const post = { method: 'POST', path: POLICY_PATHS.check, repeatable: true } as const;
  const get = <T extends object>(path: string, call: CallOptions = {}) =>
    service.call({ method: 'GET', path, read: objectOf<T>, repeatable: true }, call);
  const check = (body: CheckRequest, call: CallOptions = {}) =>
    service.call({ ...post, body, read: decisionOf }, call);
  return {
    check,
    checkOrDeny: (request, call) => check(request, call).catch(denyFor),
    explain: (body, call = {}) =>
      service.call({ ...post, path: `${post.path}?explain=true`, body, read: explainedOf }, call),
    batch: (checks, call = {}) => {
      const read = (document: unknown) => resultsOf(document, checks.length);
      return service.call({ ...post, path: POLICY_PATHS.batch, body: { checks }, read }, call);
    },
    profile: (call) => get<ProfileInForce>(POLICY_PATHS.profile, call),
    health: (call) => get<Health>(SERVICE_PATHS.health, call),
    close: service.close,
    [Symbol.asyncDispose]: service.close,
  };
}

function denyFor(error: unknown): DenyWithoutAnswer {
  const known =
    error instanceof GatehouseError ? error : new GatehouseError(String(error), { cause: error });
  return { decision: 'deny', rules: [], reason: known.message, error: known };
}
