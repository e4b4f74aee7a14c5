import { type Static, Type } from '@sinclair/typebox';
import { Nullish, OneOf, StrictTitled, Text } from '../schema.ts';

export const PII_CATEGORIES = [
  'basic_contact',
  'location',
  'financial',
  'health',
  'biometric',
  'government_id',
  'other',
] as const;

export const LEGAL_FLAGS = [
  'prohibited_content',
  'requires_review',
  'terms_unknown',
  'export_controlled',
  'other',
] as const;

/** Custom JSON Schema format for currency codes. Each validator must register this format. */
export const CURRENCY_FORMAT = 'iso-4217';

export const minorUnits = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    'x-violation': `must be a whole number of minor units from 0 to ${Number.MAX_SAFE_INTEGER}; 8750 is EUR 87.50`,
  });

export const Spend = StrictTitled('Spend', {
  amount_minor_units: minorUnits(
    'Amount in minor units: 8750 is EUR 87.50 or JPY 8750. A free action has the amount 0.',
  ),
  currency: Type.String({
    format: CURRENCY_FORMAT,
    description: 'ISO 4217 alphabetic code, in upper or lower case.',
    'x-violation': 'must be the ISO 4217 code of a currency with minor units, such as `EUR`',
  }),
  user_limit_minor_units: Nullish(
    minorUnits(
      "Largest amount allowed without approval. By default, the profile's limit applies (in the built-in profile, 100 major units, such as EUR 100.00).",
    ),
  ),
});

export const Pii = StrictTitled('Pii', {
  categories: Type.Array(OneOf(PII_CATEGORIES, undefined, 'PiiCategory'), {
    description:
      'Categories of personal data that the action involves. An empty list declares that the action involves no personal data.',
  }),
});

export const Legal = StrictTitled('Legal', {
  flags: Type.Array(OneOf(LEGAL_FLAGS, undefined, 'LegalFlag'), {
    description:
      'Legal issues that the action raises, such as `export_controlled`. An empty list declares that the action raises no legal issues.',
  }),
});

export const Connector = StrictTitled('Connector', {
  scope: Nullish(
    Text(
      'Scope of the MCP connector that the action uses, as `mcp://<name>`. Leave out `connector` if the action uses none. By default, a connector without a scope needs approval.',
    ),
  ),
});

export const CHECK_SECTIONS = {
  spend: Nullish(Spend),
  pii: Nullish(Pii),
  legal: Nullish(Legal),
  connector: Nullish(Connector),
};

/** Body of `POST /policy/check` (`policy-service.md` section 2). */
export const CheckRequest = StrictTitled('CheckRequest', {
  request_id: Nullish(
    Type.String({
      maxLength: 128,
      description: 'Identifier that the caller chooses, with no effect on the decision.',
    }),
  ),
  ...CHECK_SECTIONS,
});
export type CheckRequest = Static<typeof CheckRequest>;
