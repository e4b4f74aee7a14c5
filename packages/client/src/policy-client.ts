import {
  type CheckRequest,
  type CheckResponse,
  type Health,
  POLICY_PATHS,
  SERVICE_PATHS,
} from '@gatehouse/contracts';
import { decisionOf, objectOf } from './answers.ts';
import { GatehouseError } from './errors.ts';
import { type CallOptions, Service, type ServiceOptions } from './service.ts';

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
  health(options?: CallOptions): Promise<Health>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;

/** @throws {TypeError} for a URL or a token that cannot be used. */
export function createPolicyClient(options: ServiceOptions): PolicyClient {
  const service = new Service('policy service', TIMEOUT_MS, options);
  const check = (body: CheckRequest, call: CallOptions = {}) =>
    service.call(
      { method: 'POST', path: POLICY_PATHS.check, body, read: decisionOf, repeatable: true },
      call,
    );
  return {
    check,
    checkOrDeny: (request, call) => check(request, call).catch(denyFor),
    health: (call = {}) =>
      service.call(
        { method: 'GET', path: SERVICE_PATHS.health, read: objectOf<Health>, repeatable: true },
        call,
      ),
    close: service.close,
    [Symbol.asyncDispose]: service.close,
  };
}

function denyFor(error: unknown): DenyWithoutAnswer {
  const known =
    error instanceof GatehouseError ? error : new GatehouseError(String(error), { cause: error });
  return { decision: 'deny', rules: [], reason: known.message, error: known };
}
