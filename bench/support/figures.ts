export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

export function print(figures: Readonly<Record<string, unknown>>): void {
  const cells = Object.entries(figures).map(
    ([name, value]) => `${name} ${String(value ?? '-').padStart(7)}`,
  );
  console.log(process.stdout.isTTY ? cells.join('   ') : JSON.stringify(figures));
}
