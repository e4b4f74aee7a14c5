import {
  type ExecutorProblemCode,
  summarizeViolations,
  type Violation,
} from '@gatehouse/contracts';

/** Thrown to refuse an action before anything is sent (docs/contract.md, "Problems"). */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ExecutorProblemCode;
  readonly violations: readonly Violation[] | undefined;
  readonly retryAfterS: number | undefined;

  /** If `reason` is a list of violations, the message summarizes the violations. */
  constructor(
    code: ExecutorProblemCode,
    reason: string | readonly Violation[],
    retryAfterS?: number,
  ) {
    super(typeof reason === 'string' ? reason : summarizeViolations(reason));
    this.code = code;
    this.violations = typeof reason === 'string' ? undefined : reason;
    this.retryAfterS = retryAfterS;
  }
}

/** `reason` completes "Nothing was sent, because …". */
export const tooManyRequests = (reason: string, retryAfterS?: number): Refusal =>
  new Refusal('TooManyRequests', `Nothing was sent, because ${reason}.`, retryAfterS);

/** Appended to refusals: tells a model not to try other spellings of the URL. */
export const NO_WAY_AROUND = 'Spelling the URL differently or using a redirect will not help.';

/** `reason` is a sentence that says why the sandbox refuses the address. */
export const addressRefusal = (reason: string): Refusal =>
  new Refusal('AddressNotAllowed', `${reason} ${NO_WAY_AROUND}`);

/** Thrown when the caller has disconnected, or when the executor was closed during an execution. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
