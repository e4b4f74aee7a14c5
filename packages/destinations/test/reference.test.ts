import { METHODS, type Destination as Source } from '@gatehouse/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Destinations, readDestinations } from '../src/index.ts';

// This test runs a second matcher, written from the contract, on random files and requests, and
// compares its results with those of the real one.

interface Asked {
  readonly method: string;
  readonly host: string;
  readonly port: string;
  readonly path: string;
  readonly caller: string | undefined;
}

const escaped = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

function hostAllows({ host }: Source, asked: Asked): boolean {
  const [name = '', port] = host.split(':');
  if (port !== undefined && port !== (asked.port || '443')) return false;
  return name.startsWith('*.') ? asked.host.endsWith(name.slice(1)) : asked.host === name;
}

/** True if servers may read the path differently. */
function isOdd(path: string): boolean {
  const segments = path.split('/').slice(1);
  const isDotted = segments.some((each) => each === '.' || each === '..');
  const escapes = path.match(/%.{0,2}/g) ?? [];
  const isOddEscape = (each: string) =>
    !/^%[\da-f]{2}$/i.test(each) || /^%(?:2f|5c|2e|25|3b|7f|[01].)$/i.test(each);
  return isDotted || path.includes('//') || /[;\\]/.test(path) || escapes.some(isOddEscape);
}

function pathAllows({ paths }: Source, { path }: Asked): boolean {
  if (paths === undefined) return true;
  if (isOdd(path)) return false;
  const decoded = path.replace(/%(4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a]|3\d|2d|5f|7e)/gi, (text) =>
    decodeURIComponent(text),
  );
  return paths.some((pattern) => {
    const source = escaped(pattern)
      .replace(/\/\*\*$/, '/.+')
      .replace(/(?<!\.)\*/g, '[^/]+');
    return new RegExp(`^${source}$`).test(decoded);
  });
}

const allows = (source: Source, asked: Asked): boolean =>
  hostAllows(source, asked) &&
  pathAllows(source, asked) &&
  (source.methods === undefined || source.methods.some((each) => each === asked.method)) &&
  (source.callers === undefined || source.callers.some((each) => each === asked.caller));

const segment = fc.constantFrom('a', 'b', 'ab', 'aab', 'x-y');
const glob = fc.oneof(segment, fc.constantFrom('*', 'a*', '*b', 'a*b', '**'));
const pattern = fc
  .array(glob, { minLength: 1, maxLength: 3 })
  .filter((parts) => !parts.slice(0, -1).includes('**'))
  .map((parts) => `/${parts.join('/')}`);
const odd = fc.constantFrom('', '.', '..', '%2e', 'a;b', '%61', '%2F', '%', 'A', 'a%62', '%zz');
const path = fc
  .array(fc.oneof({ weight: 4, arbitrary: segment }, odd), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join('/')}`);
const caller = fc.constantFrom('x', 'y');
const method = fc.constantFrom(...METHODS.slice(0, 3));
const host = fc.constantFrom(
  'a.test',
  'b.a.test',
  'a.test:8443',
  '*.a.test',
  '*.test',
  '*.test:443',
);

const list = fc.array(
  fc.record(
    {
      host,
      methods: fc.uniqueArray(method, { minLength: 1 }),
      paths: fc.uniqueArray(pattern, { minLength: 1, maxLength: 3 }),
      callers: fc.uniqueArray(caller, { minLength: 1 }),
    },
    { requiredKeys: ['host'] },
  ),
  { maxLength: 6 },
);

const request = fc.record({
  method,
  host: fc.constantFrom('a.test', 'b.a.test', 'c.b.a.test', 'test', 'xa.test', 'a.test.evil.com'),
  port: fc.constantFrom('', '8443', '444'),
  path,
  caller: fc.option(caller, { nil: undefined }),
});

/** Reads a list of destinations, leaving out entries that an earlier entry covers. */
function readUsable(sources: readonly Source[]): Destinations {
  let usable: Source[] = [];
  for (const source of sources) {
    const next = [...usable, source];
    try {
      readDestinations(JSON.stringify({ destinations: next }), 'file');
      usable = next;
    } catch (error) {
      // Allow no error but this one: an entry that an earlier entry covers is refused, so leave it
      // out.
      expect(String(error)).toContain('can never match');
    }
  }
  return readDestinations(JSON.stringify({ destinations: usable }), 'file');
}

it('finds the same destination as a simple matcher, for random files and requests', () => {
  const same = (sources: Source[], asked: Asked) => {
    const destinations = readUsable(sources);
    const url = new URL(`https://${asked.host}${asked.port && `:${asked.port}`}${asked.path}`);
    const { method, path: writtenPath, caller: name } = asked;
    const found = destinations.find({ url, writtenPath, method: method as 'GET', caller: name });
    const expected = sources.find((each) => allows(each, asked));
    expect(found.kind === 'match' ? found.destination.source : undefined).toEqual(expected);
  };
  fc.assert(fc.property(list, request, same), { numRuns: 3_000 });
});

it.each([
  ['on as many hosts', (index: number) => `h${index}.test`],
  ['on one host', () => 'h999.test'],
])('finds one of 1,000 destinations of 20 paths %s in less than 50 µs', (_name, hostOf) => {
  const sources = Array.from({ length: 1_000 }, (_, index) => ({
    host: hostOf(index),
    paths: Array.from({ length: 20 }, (_each, number) => `/v1/r${index}/*/s${number}`),
  }));
  const { all } = new Destinations(
    sources
      .flatMap((source) => readDestinations(JSON.stringify({ destinations: [source] }), 'file').all)
      .map((each, index) => ({ ...each, index })),
  );
  const destinations = new Destinations(all);
  const medianOf = (writtenPath: string, kind: string) => {
    const url = new URL(`https://h999.test${writtenPath}`);
    const times = Array.from({ length: 2_000 }, () => {
      const started = performance.now();
      const found = destinations.find({ url, writtenPath, method: 'GET', caller: undefined });
      const ms = performance.now() - started;
      expect(found.kind).toBe(kind);
      return ms;
    });
    return times.sort((one, other) => one - other)[1_000];
  };
  expect(medianOf('/v1/r999/x/s19', 'match')).toBeLessThan(0.05);
  // Refusing a path takes longer, because it looks at every destination for the host.
  expect(medianOf('/v1/r999/x/s20', 'refused')).toBeLessThan(0.5);
});
