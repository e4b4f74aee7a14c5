import { expect, it } from 'vitest';
import { chooseDestination, readDestinations, readUrl } from '../src/index.ts';

it.each([
  ['on as many hosts', (index: number) => `h${index}.test`],
  ['on one host', () => 'h999.test'],
])('finds one of 1,000 destinations of 20 paths %s in less than 50 µs', (_name, hostOf) => {
  const list = Array.from({ length: 1_000 }, (_, index) => ({
    host: hostOf(index),
    paths: Array.from({ length: 20 }, (_each, number) => `/v1/r${index}/*/s${number}`),
  }));
  const destinations = readDestinations(JSON.stringify({ destinations: list }), 'file');
  const medianOf = (path: string, kind: string) => {
    const target = readUrl(`https://h999.test${path}`);
    if ('violation' in target) throw new Error(target.violation.message);
    const asked = { ...target, method: 'GET', caller: undefined, listedIn: 'the file' } as const;
    const times = Array.from({ length: 2_000 }, () => {
      const started = performance.now();
      const choice = chooseDestination(destinations, asked);
      const ms = performance.now() - started;
      expect(choice.kind).toBe(kind);
      return ms;
    });
    return times.sort((one, other) => one - other)[1_000];
  };
  expect(medianOf('/v1/r999/x/s19', 'match')).toBeLessThan(0.05);
  // A refusal takes longer, because its message lists the paths of every destination of the host.
  expect(medianOf('/v1/r999/x/s20', 'refused')).toBeLessThan(2);
});
