import { styleText } from 'node:util';
import type { Line } from './line.ts';

/** Column widths. The table, including gaps between columns, fits in an 80-column terminal. */
const WIDTHS = { step: 20, decision: 16, outcome: 23, attempts: 8, ms: 5 } as const;
const COLUMNS = ['step', 'decision', 'outcome', 'attempts', 'ms'] as const;

const COLOURS: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  allow: 'green',
  require_approval: 'yellow',
  deny: 'red',
};

/** Returns a table of the steps, with the reason for the policy's decision below each step. */
export function table(lines: readonly Line[]): string {
  const heading = COLUMNS.map((column) => column.padEnd(WIDTHS[column])).join('  ');
  const rows = lines.flatMap((line) => {
    const cells = COLUMNS.map((column) => cell(line, column)).join('  ');
    return line.why === '' ? [cells] : [cells, `    ${line.why}`];
  });
  return [heading, '-'.repeat(heading.length), ...rows].map((row) => `${row.trimEnd()}\n`).join('');
}

function cell(line: Line, column: (typeof COLUMNS)[number]): string {
  const [text, width] = [line[column], WIDTHS[column]];
  const shown = text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
  const shade = column === 'decision' ? COLOURS[text] : undefined;
  return shade === undefined ? shown : styleText(shade, shown);
}
