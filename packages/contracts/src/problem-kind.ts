import type { Violation } from './violation.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
  /** Default `detail`. If this is a list of violations, the `detail` summarizes the list. */
  readonly example: string | readonly Violation[];
}

export const at = (pointer: string, message: string): Violation => ({ pointer, message });
