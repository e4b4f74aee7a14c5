import type { ProblemCode, Violation } from '@gatehouse/contracts';

export type RefusalCode = Extract<
  ProblemCode,
  | 'InvalidAction'
  | 'InvalidResponseSchema'
  | 'HostNotAllowed'
  | 'AddressNotAllowed'
  | 'TooManyRequests'
>;

/** The answer to an action that was not sent (docs/contract.md, "Problems"). */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly violations: readonly Violation[] | undefined;

  constructor(code: RefusalCode, message: string, violations?: readonly Violation[]) {
    super(message);
    this.code = code;
    this.violations = violations;
  }
}

/** Last sentence of a refusal, so that a model does not look for ways around it. */
export const NO_WAY_AROUND = 'Other spellings or routes will not help.';

/** Thrown when the caller has gone away, so that no one is left to read an outcome. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
