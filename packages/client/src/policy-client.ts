import {
  type ApproveRequest,
  ApproveResponse,
  type CheckRequest,
  type CheckResponse,
  type Health,
  KeySet,
  POLICY_PATHS,
  ProfileInForce,
} from '@gatehouse/contracts';
import { parseExact } from '@gatehouse/contracts/json';
import {
  type BatchResults,
  type Explained,
  readDecision,
  readExplained,
  readerFor,
  readResults,
} from './answers.ts';
import { gatehouseError } from './errors.ts';
import type { CallOptions, ServiceOptions } from './options.ts';
import { HEALTH, Service, type ServiceKind } from './service.ts';

/** Denial that `checkOrDeny` returns if the policy service gives no usable answer. */
export type DenyWithoutAnswer = ReturnType<typeof denyWithoutAnswer>;

/** Client of a policy service. Methods throw `ProblemError` or `NoAnswerError`. */
export interface PolicyClient extends AsyncDisposable {
  /** Sends a check, and retries up to twice if the service cannot be reached or is busy. */
  check(request: CheckRequest, options?: CallOptions): Promise<CheckResponse>;
  /** Never throws. If the policy service gives no decision, returns a denial with the reason. */
  checkOrDeny(
    request: CheckRequest,
    options?: CallOptions,
  ): Promise<CheckResponse | DenyWithoutAnswer>;
  /** Returns a decision, explains each rule's outcome, and says what would be allowed instead. */
  explain(request: CheckRequest, options?: CallOptions): Promise<Explained>;
  /** Returns a decision or a problem for each of up to 100 checks, in order. */
  batch(checks: readonly CheckRequest[], options?: CallOptions): Promise<BatchResults>;
  profile(options?: CallOptions): Promise<ProfileInForce>;
  /** Approves an action for a person. Needs the token of an approver, not of a planner. */
  approve(request: ApproveRequest, options?: CallOptions): Promise<ApproveResponse>;
  /** Returns the public keys with which to verify an `approval_request`. */
  keys(options?: CallOptions): Promise<KeySet>;
  health(options?: CallOptions): Promise<Health>;
  close(): Promise<void>;
}

const POLICY_SERVICE: ServiceKind = {
  name: 'policy service',
  hasEffects: false,
  timeoutMs: 5_000,
  // Parse strictly, because parsers disagree about the value of a member that appears twice.
  parse: parseExact,
};

const DECISION = { path: POLICY_PATHS.check, maxBytes: 256 * 1024, repeatable: true };
const CHECK = { ...DECISION, read: readDecision };
const EXPLAIN = { ...DECISION, path: `${DECISION.path}?explain=true`, read: readExplained };
const BATCH = { path: POLICY_PATHS.batch, read: readResults, repeatable: true };
const PROFILE = { path: POLICY_PATHS.profile, read: readerFor(ProfileInForce), repeatable: true };
// Approving a request twice gives the same approval id.
const APPROVE = {
  path: POLICY_PATHS.approvals,
  status: 201,
  read: readerFor(ApproveResponse),
  repeatable: true,
};
const KEYS = { path: POLICY_PATHS.keys, read: readerFor(KeySet), repeatable: true };

/** @throws {TypeError} if the URL, the token or the time limit is invalid. */
export function createPolicyClient(options: ServiceOptions): PolicyClient {
  const service = new Service(POLICY_SERVICE, options);
  const check: PolicyClient['check'] = (body, call) => service.call({ ...CHECK, body }, call);
  return {
    check,
    checkOrDeny: (request, call) => check(request, call).catch(denyWithoutAnswer),
    explain: (body, call) => service.call({ ...EXPLAIN, body }, call),
    batch: (checks, call) => service.call({ ...BATCH, body: { checks } }, call),
    profile: (call) => service.call(PROFILE, call),
    approve: (body, call) => service.call({ ...APPROVE, body }, call),
    keys: (call) => service.call(KEYS, call),
    health: (call) => service.call(HEALTH, call),
    close: service.close,
    [Symbol.asyncDispose]: service.close,
  };
}

function denyWithoutAnswer(cause: unknown) {
  const error = gatehouseError(cause);
  return { decision: 'deny', rules: [], reason: error.message, error } as const;
}
