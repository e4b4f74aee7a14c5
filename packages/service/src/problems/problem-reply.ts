import {
  exampleOf,
  MAX_VIOLATION_CHARS,
  type Problem,
  type ProblemCode,
  problemDocument,
  summarizeViolations,
  type Violation,
} from '@gatehouse/contracts';

export class ProblemReply extends Error {
  override readonly name = 'ProblemReply';
  readonly code: ProblemCode;
  readonly violations: readonly Violation[] | undefined;
  /** Seconds for the `retry-after` header, which is sent only if the problem is temporary. */
  readonly retryAfterS: number;

  /** `detail` is one sentence that says what to change. */
  constructor(
    code: ProblemCode,
    detail?: string,
    violations?: readonly Violation[],
    retryAfterS = 1,
  ) {
    super(detail ?? exampleOf(code).detail);
    this.code = code;
    this.violations = violations;
    this.retryAfterS = retryAfterS;
  }
}

/** Shortens a pointer, so that a long member name in many pointers cannot bloat the reply. */
export const shorten = (pointer: string) => pointer.slice(0, MAX_VIOLATION_CHARS).toWellFormed();

/** Returns an RFC 9457 problem that lists `violations` and summarizes them in its `detail`. */
export function invalidReply(code: ProblemCode, violations: readonly Violation[]): ProblemReply {
  const shown = violations.map(({ pointer, message }) => ({ pointer: shorten(pointer), message }));
  return new ProblemReply(code, summarizeViolations(shown), shown);
}

export function payloadTooLarge(maxRequestBytes: number): ProblemReply {
  return new ProblemReply('PayloadTooLarge', `Send a body of at most ${maxRequestBytes} bytes.`);
}

/** True if a status means a temporary problem, so that the response has a `retry-after` header. */
export const isTemporary = (status: number): boolean => [409, 429, 503].includes(status);

export const documentOf = (
  { code, message: detail, violations }: ProblemReply,
  requestId: string,
): Problem => problemDocument(code, { detail, requestId, violations });

const EXAMPLE_ID = '3f1c8b52-7a0e-4d6b-9a55-2e8f0c6d1b47';

/** Returns an example of a problem document, for the API docs and for replies to malformed HTTP. */
export const exampleProblem = (code: ProblemCode, requestId = EXAMPLE_ID) =>
  problemDocument(code, { ...exampleOf(code), requestId });
