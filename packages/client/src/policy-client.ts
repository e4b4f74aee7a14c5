import {
  type CheckRequest,
  type CheckResponse,
  type Health,
  POLICY_PATHS,
  ProfileInForce,
} from '@gatehouse/contracts';
import { parseExact } from '@gatehouse/json-text';
import {
  type BatchResults,
  decisionOf,
  type Explained,
  explainedOf,
  readerOf,
  resultsOf,
} from './answers.ts';
import { type GatehouseError, gatehouseError } from './errors.ts';
import type { CallOptions, ServiceOptions } from './options.ts';
import { HEALTH, Service, type ServiceKind } from './service.ts';

/** A deny in place of an answer that could not be had. */
export interface DenyWithoutAnswer {
  readonly decision: 'deny';
  readonly rules: readonly [];
  /** Reason for which there is no answer. */
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

const POLICY_SERVICE: ServiceKind = {
  name: 'policy service',
  timeoutMs: 5_000,
  // If a member were there twice, another reader could see another decision.
  parse: parseExact,
};

/** A decision has a few kilobytes. */
const DECISION = { maxBytes: 256 * 1024, repeatable: true };

const PROFILE = { path: POLICY_PATHS.profile, read: readerOf(ProfileInForce), repeatable: true };

/** @throws {TypeError} for a URL, a token or a time limit that cannot be used. */
export function createPolicyClient(options: ServiceOptions): PolicyClient {
  const service = new Service(POLICY_SERVICE, options);
  const check: PolicyClient['check'] = (body, call) => {
    const read = (document: unknown) => decisionOf(document, body);
    return service.call({ ...DECISION, path: POLICY_PATHS.check, body, read }, call);
  };
  return {
    check,
    checkOrDeny: (request, call) => check(request, call).catch(denyFor),
    explain: (body, call) => {
      const path = `${POLICY_PATHS.check}?explain=true`;
      const read = (document: unknown) => explainedOf(document, body);
      return service.call({ ...DECISION, path, body, read }, call);
    },
    batch: (checks, call) => {
      const path = POLICY_PATHS.batch;
      const read = (document: unknown) => resultsOf(document, checks);
      return service.call({ path, body: { checks }, read, repeatable: true }, call);
    },
    profile: (call) => service.call(PROFILE, call),
    health: (call) => service.call(HEALTH, call),
    close: service.close,
    [Symbol.asyncDispose]: service.close,
  };
}

function denyFor(cause: unknown): DenyWithoutAnswer {
  const error = gatehouseError(cause);
  return { decision: 'deny', rules: [], reason: error.message, error };
}
