import { styleText } from 'node:util';
import type { Line } from './line.ts';

const WIDTH = 120;
const GAP = '  ';

type Column = Exclude<keyof Line, 'rule'>;
const COLUMNS: readonly Column[] = ['step', 'decision', 'why', 'outcome', 'attempts', 'time'];
const RIGHT: readonly Column[] = ['attempts', 'time'];

const COLOURS: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  allow: 'green',
  require_approval: 'yellow',
  deny: 'red',
};

/**
 * The lines under a heading, in aligned columns; `why` gets the width that the others
 * leave of 120.
 */
export function table(lines: readonly Line[], colour: boolean): string {
  const widths = widthsFor(lines);
  const heading = COLUMNS.map((column) => cell(column, column, widths)).join(GAP);
  const rows = lines.map((line) => COLUMNS.map((column) => paint(line, column)).join(GAP));
  return [heading.trimEnd(), '-'.repeat(WIDTH), ...rows]
    .map((row) => `${row.trimEnd()}\n`)
    .join('');

  function paint(line: Line, column: Column): string {
    const text = cell(line[column], column, widths);
    const shade = column === 'decision' ? COLOURS[line.decision] : undefined;
    return colour && shade !== undefined ? styleText(shade, text, { validateStream: false }) : text;
  }
}

function widthsFor(lines: readonly Line[]): Record<Column, number> {
  const longest = (column: Column) =>
    Math.max(column.length, ...lines.map((line) => line[column].length));
  const widths = { step: 0, decision: 0, why: 0, outcome: 0, attempts: 0, time: 0 };
  const others = COLUMNS.filter((column) => column !== 'why');
  for (const column of others) widths[column] = Math.min(longest(column), 24);
  const taken = others.reduce((sum, column) => sum + widths[column] + GAP.length, 0);
  return { ...widths, why: Math.min(longest('why'), WIDTH - taken) };
}

function cell(text: string, column: Column, widths: Record<Column, number>): string {
  const width = widths[column];
  const shown = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return RIGHT.includes(column) ? shown.padStart(width) : shown.padEnd(width);
}
