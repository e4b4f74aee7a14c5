import { type Static, Type } from '@sinclair/typebox';
import { Nullish, OneOf, StrictTitled, Text } from './schema.ts';

export const PII_CATEGORIES = [
  'basic_contact',
  'location',
  'financial',
  'health',
  'biometric',
  'government_id',
  'other',
] as const;
export type PiiCategory = (typeof PII_CATEGORIES)[number];

export const LEGAL_FLAGS = [
  'prohibited_content',
  'requires_review',
  'terms_unknown',
  'export_controlled',
  'other',
] as const;
export type LegalFlag = (typeof LEGAL_FLAGS)[number];

/** JSON Schema format of `currency`; the caller of the validator supplies the known codes. */
export const CURRENCY_FORMAT = 'iso-4217';

export const minorUnits = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

export const Spend = StrictTitled('Spend', {
  amount_minor_units: minorUnits(
    'Amount in minor units of the currency: 8750 is EUR 87.50 or JPY 8750.',
  ),
  currency: Type.String({
    format: CURRENCY_FORMAT,
    description: 'ISO 4217 alphabetic code; lower case is also accepted.',
    'x-violation':
      'must be an ISO 4217 alphabetic currency code that has minor units, such as `EUR`',
  }),
  user_limit_minor_units: Nullish(
    minorUnits('Amounts up to this limit do not need approval; 100.00 major units if omitted.'),
  ),
});
export type Spend = Static<typeof Spend>;

export const Pii = StrictTitled('Pii', {
  categories: Type.Array(OneOf(PII_CATEGORIES, undefined, 'PiiCategory'), {
    description:
      'Categories of personal data that the action touches; an empty list claims that there are none.',
  }),
});
export type Pii = Static<typeof Pii>;

export const Legal = StrictTitled('Legal', {
  flags: Type.Array(OneOf(LEGAL_FLAGS, undefined, 'LegalFlag'), {
    description: 'Legal flags of the action; an empty list claims that there are none.',
  }),
});
export type Legal = Static<typeof Legal>;

export const Connector = StrictTitled('Connector', {
  scope: Nullish(Text('`mcp://<name>`; a connector without a scope needs approval.')),
});
export type Connector = Static<typeof Connector>;

export const CHECK_SECTIONS = {
  spend: Nullish(Spend),
  pii: Nullish(Pii),
  legal: Nullish(Legal),
  connector: Nullish(Connector),
};

/** Claims about what an action would spend and touch (`policy-service.md` section 2). */
export const CheckRequest = StrictTitled('CheckRequest', {
  request_id: Nullish(
    Type.String({ maxLength: 128, description: 'Chosen by the caller; never changes a decision.' }),
  ),
  ...CHECK_SECTIONS,
});
export type CheckRequest = Static<typeof CheckRequest>;
