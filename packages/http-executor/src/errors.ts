import type { ProblemCode, Violation } from '@gatehouse/contracts';

export type RefusalCode = Extract<
  ProblemCode,
  | 'InvalidAction'
  | 'InvalidResponseSchema'
  | 'HostNotAllowed'
  | 'AddressNotAllowed'
  | 'TooManyRequests'
>;

/** Why an action was not sent (contract, section 3). */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** Every violation of an invalid action or schema. */
  readonly violations: readonly Violation[] | undefined;

  constructor(code: RefusalCode, message: string, violations?: readonly Violation[]) {
    super(message);
    this.code = code;
    this.violations = violations;
  }
}

/** Ends the detail of a refusal, so that a model does not try other ways. */
export const NO_WAY_AROUND = 'Other spellings or routes will not help.';

/** The caller has gone away; nobody is left to read an outcome. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** At most so many characters; `…` stands for what is left out, never half a character. */
export function shorten(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text).toWellFormed();
}
