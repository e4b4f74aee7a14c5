import { stripVTControlCharacters, styleText } from 'node:util';
import type { Decision } from '@gatehouse/contracts';

/** How every command ends, so that CI can tell the ends apart. */
export const EXIT = {
  /** Allowed, faultless, passed, nothing looser. */
  fine: 0,
  /** Not allowed, a mistake, a failed case, a looser decision. */
  found: 1,
  /** Wrong use of the command, or a file that cannot be read. */
  unusable: 2,
} as const;

/** Where a command writes. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Writes one JSON document for programs, or text for people. */
export type Write = (document: unknown, text: () => string) => void;

const COLOURS = { allow: 'green', require_approval: 'yellow', deny: 'red' } as const;

/** An outcome in its colour, if the terminal has colours. */
export function painted(outcome: Decision | 'no_entry'): string {
  return outcome === 'no_entry' ? outcome : styleText(COLOURS[outcome], outcome);
}

export const strong = (text: string): string => styleText('bold', text);

/** Rows below a heading, in columns as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head.map(strong), ...rows];
  const widthOf = (cell = '') => stripVTControlCharacters(cell).length;
  const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]))));
  const padded = (cell: string, column: number) =>
    cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  return all.map((row) => row.map(padded).join('   ').trimEnd()).join('\n');
}
