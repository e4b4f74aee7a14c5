import { type Attack, KIB, MIB } from '../attack.ts';
import { post } from '../client.ts';
import { deep, listOf, membersOf, nested, noise, range, repeated } from '../shapes.ts';

/** Just below the limit of a check. */
const SIZE = 64 * KIB - 256;

/** Bytes of so many members; a body has at most 10,000. */
const NEARLY_100 = 750;

function check(
  name: string,
  build: () => Buffer | string,
  { times = 1, path = '/policy/check', responseBytes = 0 } = {},
): Attack {
  return {
    name: `check: ${name}`,
    service: 'policy',
    atOnce: times,
    prepare: ({ url }) => {
      const body = build();
      return async () => ({
        answers: await Promise.all(range(times, () => post(url + path, body))),
        responseBytes,
      });
    },
  };
}

const spend = (amount: string) => `{"spend":{"amount_minor_units":${amount},"currency":"EUR"}}`;
const pii = (items: Buffer) => `{"pii":{"categories":${items}}}`;

export const policy: Attack[] = [
  check('[[[…', () => deep('[', ']', SIZE)),
  check('{"spend":{"spend":…', () => deep('{"spend":', '}', SIZE)),
  check('a section 10,000 deep', () => `{"connector":{"scope":${nested(5_000, '[', ']')}}}`),
  check('only opening brackets', () => Buffer.alloc(SIZE, '[')),
  check('6,000 unknown members', () => membersOf((n) => `u${n}`, '1', SIZE)),
  check('an unknown member with a name of 64 KB', () => `{"${'n'.repeat(SIZE)}":1}`),
  check(
    'a repeated member with a name of 32 KB',
    () => `{"${'n'.repeat(SIZE / 2 - 16)}":1,"${'n'.repeat(SIZE / 2 - 16)}":1}`,
  ),
  check('20,000 unknown categories', () => pii(listOf('"x"', SIZE - 64))),
  check('one category over and over', () => pii(listOf('"health"', SIZE - 64))),
  check('an unknown category of 64 KB', () =>
    pii(listOf(`"${'c'.repeat(SIZE - 128)}"`, SIZE - 64)),
  ),
  check('a scope of 64 KB', () => `{"connector":{"scope":"mcp://${'root/'.repeat(12_000)}"}}`),
  check('a scope of blanks', () => `{"connector":{"scope":"${' '.repeat(SIZE - 64)}"}}`),
  check('a scope of noise', () => `{"connector":{"scope":"mcp://${noise(SIZE - 64)}"}}`),
  check('a request_id of 64 KB', () => `{"request_id":"${noise(SIZE - 64)}"}`),
  check('an amount of 64,000 digits', () => spend('9'.repeat(SIZE - 128))),
  check('an amount with 64,000 decimals', () => spend(`1.${'0'.repeat(SIZE - 128)}1`)),
  check('an exponent of 64,000 digits', () => spend(`1e${'0'.repeat(SIZE - 128)}1`)),
  check('a string of escapes', () => repeated('\\u0061', SIZE, '{"request_id":"', '"}')),
  check('bytes that are not UTF-8', () => Buffer.alloc(SIZE, 0xff)),
  check('16 MiB', () => Buffer.alloc(16 * MIB, '[')),
  check('100 at once, 64 KiB of unknown members', () => membersOf((n) => `u${n}`, '1', SIZE), {
    times: 100,
  }),
  check('explained', () => pii(listOf('"health"', SIZE - 64)), {
    path: '/policy/check?explain=true',
  }),
  check(
    'a batch of 100 that are wrong',
    () => `{"checks":[${range(100, () => membersOf((n) => `u${n}`, '1', NEARLY_100)).join()}]}`,
    { path: '/policy/check/batch', responseBytes: 200 * KIB },
  ),
];
