import type { Violation } from './violation.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
  /** Default text of `detail`, or a list of violations from which that text is made. */
  readonly example: string | readonly Violation[];
}

export const at = (pointer: string, message: string): Violation => ({ pointer, message });
