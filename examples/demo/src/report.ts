import { differences, type Line } from './line.ts';
import { table } from './table.ts';

/** Prints the table and every unexpected result, and returns true if there is none. */
export function report(lines: readonly Line[], expected: readonly Partial<Line>[]): boolean {
  process.stdout.write(`${table(lines)}\n`);
  const perLine = expected.map((columns, index) => {
    const line = lines[index];
    return line === undefined ? [`${columns.step}: has no line`] : differences(line, columns);
  });
  const asExpected = perLine.filter((found) => found.length === 0).length;
  process.stdout.write(`${asExpected} of ${expected.length} lines as expected.\n`);
  for (const difference of perLine.flat()) process.stdout.write(`  ${difference}\n`);
  return asExpected === expected.length;
}
