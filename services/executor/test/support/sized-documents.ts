import type { JsonDocument } from './documents.ts';

/** A line of a time series; every one differs, in digits that a double loses. */
const point = (n: number) =>
  `{"time":171234567812345${String(1_000 + (n % 9_000))},"value":${n}.0,` +
  `"tags":{"host":"web-${n % 17}","é":"\\u00e9\\/${n}"}}`;

/** An array of points of very nearly this many bytes, and never more. */
export function series(bytes: number): string {
  const points: string[] = [];
  for (let size = 2, n = 0; ; n++) {
    const next = point(n);
    size += Buffer.byteLength(next) + 1;
    if (size > bytes) return `[${points.join()}]`;
    points.push(next);
  }
}

const filled = (unit: string, bytes: number) =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

const KIB = 1_024;

/** Around sizes where a service may change its way of working. */
export const ANSWER_SIZES: readonly [name: string, bytes: number][] = [
  ['1 KB', KIB],
  ['60 KB', 60 * KIB],
  ['just under 64 KiB', 64 * KIB - 60],
  ['70 KB', 70 * KIB],
  ['250 KB', 250 * KIB],
  ['300 KB', 300 * KIB],
  ['1 MB', 1_000 * KIB],
  ['3 MB', 3_000 * KIB],
];

export const SERIES: readonly JsonDocument[] = ANSWER_SIZES.map(([name, bytes]) => ({
  name: `a series of ${name}`,
  text: series(bytes),
}));

export const BULKY: readonly JsonDocument[] = [
  { name: 'one string of 300 KB', text: `"${filled('bulk é ', 300 * KIB)}"` },
  { name: 'one string of 1 MB of escapes', text: `["${filled('\\u00e9\\n\\/', 1_000 * KIB)}"]` },
  { name: '70 KB of digits', text: `[0.${'1234567890'.repeat(7 * KIB)}]` },
  {
    name: '300 KB of short members',
    text: `{${Array.from({ length: 25_000 }, (_, n) => `"m${n}":${n % 10}`).join()}}`,
  },
  { name: '100,000 empty lists', text: `[${Array(100_000).fill('[]').join()}]` },
  { name: '100,000 numbers with exponents', text: `[${Array(100_000).fill('1E20').join()}]` },
];

/** For requests, whose limit of 1 MiB counts the whole action. */
export const REQUEST_SERIES: readonly JsonDocument[] = [1, 60, 70, 250, 300, 900, 1_022].map(
  (kib) => ({
    name: `a series of ${kib} KiB`,
    text: series(kib * KIB),
  }),
);
