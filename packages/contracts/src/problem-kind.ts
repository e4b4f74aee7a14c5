import type { Violation } from './violation.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  /** Advice for the caller. */
  readonly remedy: string;
  /** Example of a `detail`, or of the violations it summarizes. Used if no detail is given. */
  readonly example: string | readonly Violation[];
}

export const at = (pointer: string, message: string): Violation => ({ pointer, message });
