import { stripVTControlCharacters, styleText } from 'node:util';
import type { Decision } from '@gatehouse/contracts';

export const EXIT = {
  fine: 0,
  /** Exit code for a finding, such as a refused request, a lint error or a failed test case. */
  found: 1,
  /** Exit code for wrong usage, or for a file that cannot be used. */
  unusable: 2,
} as const;

export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Writes JSON for programs if `--json` is set, otherwise text for people. */
export type Write = (document: unknown, text: () => string) => void;

const COLOURS = { allow: 'green', require_approval: 'yellow', deny: 'red' } as const;

/** Colours a decision. Leaves `no_entry`, and the empty text of a row without outcome, as it is. */
export function painted(outcome: Decision | 'no_entry' | ''): string {
  return outcome === 'no_entry' || outcome === '' ? outcome : styleText(COLOURS[outcome], outcome);
}

export const strong = (text: string): string => styleText('bold', text);

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head.map(strong), ...rows];
  const widthOf = (cell = '') => stripVTControlCharacters(cell).length;
  const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]))));
  const padded = (cell: string, column: number) =>
    cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  return all.map((row) => row.map(padded).join('   ').trimEnd()).join('\n');
}
