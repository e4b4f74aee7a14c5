/** By file, mutants that may survive and why. */
export type Accepted = Readonly<
  Record<string, readonly (readonly [original: string, mutant: string, why: string])[]>
>;

export const HARMLESS = '["Stryker was here"]';
export const HARMLESS_TEXT = '"Stryker was here!"';
export const NARROWS = 'never so here; it tells the compiler';
export const SLOWER = 'slower, no other answer';
