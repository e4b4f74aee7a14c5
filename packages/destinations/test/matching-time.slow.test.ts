import { expect, it } from 'vitest';
import { chooseDestination, readDestinations, readUrl } from '../src/index.ts';

type Numbered = (destination: number, path?: number) => string;

it.each<[name: string, host: Numbered, path: Numbered, asked: string]>([
  ['many hosts', (i) => `h${i}.test`, (i, j) => `/v1/r${i}/*/s${j}`, 'h999.test/v1/r999/x/s19'],
  ['many hosts with the same paths', (i) => `h${i}.test`, (_, j) => `/r${j}/*`, 'h999.test/r19/x'],
  ['many domains', (i) => `*.h${i}.test`, (i, j) => `/r${i}/s${j}/*`, 'a.h999.test/r999/s19/x'],
  ['one host', () => 'h.test', (i, j) => `/v1/r${i}/*/s${j}`, 'h.test/v1/r999/x/s19'],
  ['one host with globs', () => 'h.test', (i, j) => `/r${i}-*/s${j}/**`, 'h.test/r999-x/s19/x'],
])(
  'finds one of 1,000 destinations of 20 paths on %s in less than 50 µs',
  (_name, host, path, asked) => {
    const list = Array.from({ length: 1_000 }, (_, i) => ({
      host: host(i),
      paths: Array.from({ length: 20 }, (_each, j) => path(i, j)),
    }));
    const destinations = readDestinations(JSON.stringify({ destinations: list }), 'file');
    const medianOf = (url: string, allowed: boolean) => {
      const target = readUrl(url);
      if ('violation' in target) throw new Error(target.violation.message);
      const request = { ...target, method: 'GET', caller: undefined, listedIn: 'file' } as const;
      const times = Array.from({ length: 2_000 }, () => {
        const started = performance.now();
        const choice = chooseDestination(destinations, request);
        const ms = performance.now() - started;
        expect('destination' in choice).toBe(allowed);
        return ms;
      });
      return times.sort((one, other) => one - other)[1_000];
    };
    expect(medianOf(`https://${asked}`, true)).toBeLessThan(0.05);
    expect(medianOf('https://other.test/', false)).toBeLessThan(0.05);
    // This refusal takes longer, because it lists paths from all of the host's destinations.
    expect(medianOf(`https://${asked.split('/')[0]}/other`, false)).toBeLessThan(10);
  },
);
