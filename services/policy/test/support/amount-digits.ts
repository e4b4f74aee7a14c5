/** Spellings of amounts (docs/contract.md, "Numbers"). */

export const MAX = '9007199254740991';

const spelled = (means: string, ...spellings: string[]) =>
  spellings.map((written) => [written, means] as const);

export const TAKEN: readonly (readonly [written: string, means: string])[] = [
  ...spelled('0', '0', '-0', '0e0', '-0E+5', '0e99999999999', `0.${'0'.repeat(400)}`),
  ...spelled('1', '1.0'),
  ...spelled('100', '100.00000000000000000000', '1e2', '1.0e2', '1000e-1', '0.1e3', '0.0100e4'),
  ...spelled('100', '10000000000000000000000e-20', `100.${'0'.repeat(5_000)}`),
  ...spelled('125', '12.5e1'),
  ...spelled(MAX, MAX, `${MAX}.000000000000`, '9.007199254740991e15', '9007199254740991000e-3'),
  ...spelled(MAX, '900719925474099.1e1'),
];

const words = (text: string) => text.split(' ');

/** JSON values that are not an integer from 0 to 2^53-1. */
export const REFUSED: readonly string[] = [
  // Numbers that a double cannot represent exactly.
  ...words('10000.0000000000001 0.00000000000000000000000000001 1e-400'),
  ...words('100000000000000000000000000001e-27 99.99999999999999999999 1.00000000000000000001e2'),
  `1.${'0'.repeat(400)}1`,
  // Numbers above 2^53-1, and numbers whose nearest double is 2^53-1.
  ...words('9007199254740991.4999 9007199254740990.9999 9007199254740992 9007199254740993'),
  ...words('9.0071992547409911e15 9007199254740993000e-3 1e16 1e400 1e99999999999'),
  ...[`1${'0'.repeat(400)}`, '9'.repeat(5_000)],
  // Fractions and negative numbers.
  ...words('0.5 100.5 1e-1 -1 -9007199254740993'),
];
