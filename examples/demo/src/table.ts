import { styleText } from 'node:util';
import type { Line } from './line.ts';

type Column = Exclude<keyof Line, 'rule' | 'why'>;

/** With the gaps between them, as wide as a narrow terminal. */
const WIDTHS: Readonly<Record<Column, number>> = {
  step: 20,
  decision: 16,
  outcome: 23,
  attempts: 8,
  ms: 5,
};
const COLUMNS = Object.keys(WIDTHS) as Column[];
const RIGHT: readonly Column[] = ['attempts', 'ms'];

const COLOURS: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  allow: 'green',
  require_approval: 'yellow',
  deny: 'red',
};

/** The lines in columns under a heading, each with the rule that decided below it. */
export function table(lines: readonly Line[], colour: boolean): string {
  const heading = COLUMNS.map((column) => cell(column, column)).join('  ');
  const rows = lines.flatMap((line) => {
    const cells = COLUMNS.map((column) => paint(cell(line[column], column), line, column, colour));
    return [cells.join('  '), ...(line.why === '' ? [] : [`    ${line.why}`])];
  });
  const all = [heading, '-'.repeat(heading.length), ...rows];
  return all.map((row) => `${row.trimEnd()}\n`).join('');
}

function cell(text: string, column: Column): string {
  const width = WIDTHS[column];
  const shown = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return RIGHT.includes(column) ? shown.padStart(width) : shown.padEnd(width);
}

function paint(text: string, { decision }: Line, column: Column, colour: boolean): string {
  const shade = column === 'decision' ? COLOURS[decision] : undefined;
  return colour && shade !== undefined ? styleText(shade, text, { validateStream: false }) : text;
}
