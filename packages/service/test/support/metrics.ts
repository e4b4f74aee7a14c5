/** Fetches `/metrics` and returns the value of each sample, keyed by its name and labels. */
export async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`);
  const samples = (await response.text())
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))] as const;
    }),
  );
}

/** Returns the nonzero samples of `problems_total`. */
export const problemsOf = async (url: string) =>
  Object.fromEntries(
    [...(await scrape(url))].filter(
      ([key, value]) => key.startsWith('problems_total{') && value > 0,
    ),
  );
