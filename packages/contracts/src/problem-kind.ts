import type { Violation } from './violation.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
  /** Default `detail` of the problem, or a list of violations that the `detail` summarizes. */
  readonly example: string | readonly Violation[];
}

export const at = (pointer: string, message: string): Violation => ({ pointer, message });
