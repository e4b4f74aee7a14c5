import { Type } from '@sinclair/typebox';
import { StrictTitled } from '../schema.ts';

/** Custom JSON Schema format for currency codes. Each validator must register this format. */
export const CURRENCY_FORMAT = 'iso-4217';

export const minorUnits = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    'x-violation': `must be a whole number of minor units from 0 to ${Number.MAX_SAFE_INTEGER}; 8750 is EUR 87.50`,
  });

// No currency has more than 4 decimal places, so the limit is a safe integer even in minor units.
const MAX_MAJOR_UNITS = Math.floor(Number.MAX_SAFE_INTEGER / 10_000);

export const majorUnits = (description: string) =>
  Type.Integer({ minimum: 0, maximum: MAX_MAJOR_UNITS, description });

const replaces = (limit: string) =>
  minorUnits(`Value in minor units to use for this currency instead of \`${limit}\`.`);

export const CurrencyLimits = StrictTitled('CurrencyLimits', {
  limit_minor_units: replaces('limit_major_units'),
  ceiling_minor_units: replaces('ceiling_major_units'),
  max_user_limit_minor_units: replaces('max_user_limit_major_units'),
});
