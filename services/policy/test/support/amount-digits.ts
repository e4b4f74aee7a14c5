/** Spellings of amounts (docs/contract.md, "Numbers"). */

export const MAX = '9007199254740991';

/** [spelling, integer value] */
export const TAKEN: readonly [written: string, means: string][] = [
  ['0', '0'],
  ['-0', '0'],
  ['-0E+5', '0'],
  [`0.${'0'.repeat(400)}`, '0'],
  ['1.0', '1'],
  ['100.00000000000000000000', '100'],
  ['1e2', '100'],
  ['10000000000000000000000e-20', '100'],
  [`100.${'0'.repeat(5_000)}`, '100'],
  [MAX, MAX],
  [`${MAX}.000000000000`, MAX],
  ['9.007199254740991e15', MAX],
  ['9007199254740991000e-3', MAX],
];

/** JSON values that are not an integer from 0 to 2^53-1. */
export const REFUSED: readonly string[] = [
  // Digits that a double cannot represent.
  '10000.0000000000001',
  '0.00000000000000000000000000001',
  `1.${'0'.repeat(400)}1`,
  '1e-400',
  '100000000000000000000000000001e-27',
  // Above 2^53-1, including spellings that a double rounds down to it.
  '9007199254740991.4999',
  '9007199254740992',
  '9007199254740993',
  '9007199254740993000e-3',
  '1e400',
  `1${'0'.repeat(400)}`,
  '9'.repeat(5_000),
  // Fractions and negative numbers.
  '0.5',
  '-1',
];
