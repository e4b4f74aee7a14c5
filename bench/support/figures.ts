export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Peak of the second half over the peak of the first; above 1 it grows. */
export function growth(samples: readonly number[]): number {
  const middle = samples.length >> 1;
  return Math.max(...samples.slice(middle)) / Math.max(...samples.slice(0, middle));
}

export type Figures = Readonly<Record<string, unknown>>;

/** One line: of a table on a terminal, of JSON on a pipe. */
export function print(figures: Figures): void {
  const cells = Object.entries(figures).map(
    ([name, value]) => `${name} ${String(value ?? '-').padStart(7)}`,
  );
  console.log(process.stdout.isTTY ? cells.join('   ') : JSON.stringify(figures));
}

/** What was measured, and which rules that breaks. */
export function printVerdict(figures: Figures, broken: readonly string[]): void {
  console.log(process.stdout.isTTY ? figures : JSON.stringify(figures));
  for (const rule of broken) console.error(`broken: ${rule}`);
  if (broken.length > 0) process.exitCode = 1;
}

export type Rule = readonly [text: string, held: boolean];

export const brokenOf = (rules: readonly Rule[]): string[] =>
  rules.filter(([, held]) => !held).map(([text]) => text);
