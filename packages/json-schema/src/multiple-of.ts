import type { Ajv } from 'ajv';

/**
 * Exact, unlike Ajv's division of floats: there 1e308 / 0.123456789 is endless, and passes
 * for a multiple whatever the `multipleOfPrecision`.
 */
export function useExactMultipleOf(ajv: Ajv): void {
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: isMultiple,
    error: { message: ({ schema }) => `must be multiple of ${schema}` },
  });
}

export function isMultiple(factor: number, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const [a, b] = [toDecimal(value), toDecimal(factor)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (each: Decimal) => each.digits * 10n ** BigInt(each.exponent - exponent);
  return scaled(a) % scaled(b) === 0n;
}

/** digits × 10^exponent. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The number as it is written, not the binary fraction next to it. */
function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
