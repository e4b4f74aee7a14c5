import type { Violation } from '../violation.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
  /** The usual `detail`, or example violations from which a `detail` is generated. */
  readonly example: string | readonly Violation[];
}

export const at = (pointer: string, message: string): Violation => ({ pointer, message });
