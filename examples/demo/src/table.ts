import { styleText } from 'node:util';
import type { Line } from './line.ts';

const GAP = '  ';

/** The narrowest terminal that a table fits. */
export const MIN_WIDTH = 80;

type Column = Exclude<keyof Line, 'rule' | 'why'>;
const COLUMNS: readonly Column[] = ['step', 'decision', 'outcome', 'attempts', 'time'];
const RIGHT: readonly Column[] = ['attempts', 'time'];
const HEADINGS: Readonly<Partial<Record<Column, string>>> = { attempts: 'tries' };

const COLOURS: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  allow: 'green',
  require_approval: 'yellow',
  deny: 'red',
};

/** `why` stands beside the rest where it has so much room, else below. */
const MIN_WHY = 30;

const INDENT = '    ';

/** The lines under a heading, in aligned columns, none wider than so many characters. */
export function table(lines: readonly Line[], colour: boolean, width: number): string {
  const widths = widthsFor(lines);
  const begin = (line: Line) => COLUMNS.map((column) => paint(line, column)).join(GAP);
  const heading = COLUMNS.map((each) => cell(HEADINGS[each] ?? each, each, widths)).join(GAP);
  const room = width - heading.length - GAP.length;
  const beside = room >= MIN_WHY;
  const rows = lines.flatMap((line) => {
    const why = beside || line.rule !== '' ? line.why : '';
    const [first = '', ...more] = beside
      ? wrapped(why, room)
      : ['', ...wrapped(why, width - INDENT.length)];
    const indent = beside ? ' '.repeat(width - room) : INDENT;
    return [`${begin(line)}${GAP}${first}`, ...more.map((part) => indent + part)];
  });
  const top = [
    beside ? `${heading}${GAP}why` : heading,
    '-'.repeat(beside ? width : heading.length),
  ];
  return [...top, ...rows].map((row) => `${row.trimEnd()}\n`).join('');

  function paint(line: Line, column: Column): string {
    const text = cell(line[column], column, widths);
    const shade = column === 'decision' ? COLOURS[line.decision] : undefined;
    return colour && shade !== undefined ? styleText(shade, text, { validateStream: false }) : text;
  }
}

/** Together as wide as the narrowest terminal. */
const LIMITS = { step: 20, decision: 16, outcome: 23, attempts: 5, time: 8 };

function widthsFor(lines: readonly Line[]): Record<Column, number> {
  const longest = (column: Column) =>
    Math.max((HEADINGS[column] ?? column).length, ...lines.map((line) => line[column].length));
  const widths = COLUMNS.map((each) => [each, Math.min(longest(each), LIMITS[each])]);
  return Object.fromEntries(widths);
}

function cell(text: string, column: Column, widths: Record<Column, number>): string {
  const width = widths[column];
  const shown = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return RIGHT.includes(column) ? shown.padStart(width) : shown.padEnd(width);
}

/** Whole words in lines of at most so many characters; a longer word is cut in pieces. */
function wrapped(text: string, width: number): string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)|\\S{${width}}`, 'g')) ?? [];
}
