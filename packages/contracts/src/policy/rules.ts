import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import {
  Integer,
  Nullish,
  OneOf,
  PatternMap,
  StrictTitled,
  StringMap,
  Text,
  Texts,
} from '../schema.ts';
import { CURRENCY_FORMAT, CurrencyLimits, majorUnits, minorUnits } from './amounts.ts';
import { LEGAL_FLAGS, outcomeByLabel, PII_CATEGORIES } from './labels.ts';
import { Decision, missing, missingOrNoEntry, withoutAllow } from './outcome.ts';

/** Schemas that a rule adds to requests, responses and profiles. `@gatehouse/policy` applies it. */
export interface RuleSchemas {
  /** Name of the section that the rule reads, in a check and in a profile. */
  readonly section: string;
  readonly check: TObject;
  /** Members of the check's section that a model must not send. */
  readonly operatorOnly?: readonly string[];
  /** Settings. Needs a member `missing`, which is the outcome of a check without the section. */
  readonly profile: TObject<TProperties & { missing: TSchema }>;
  /** Reason codes, in addition to `section_missing`. */
  readonly codes: readonly string[];
  /** Optional members of the rule's explanation, and of the `remedy` in it. */
  readonly facts: TProperties;
  readonly remedy: TProperties;
}

const outcomes = (description: string) => Type.Optional(StringMap(Decision, description));
const amount = (description: string) => Type.Optional(Integer(description));

const spendLimit = {
  section: 'spend',
  check: StrictTitled('Spend', {
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
  }),
  // A model that could send `user_limit_minor_units` could raise its own spending limit.
  operatorOnly: ['user_limit_minor_units'],
  profile: StrictTitled('SpendProfile', {
    limit_major_units: majorUnits(
      'Largest amount that is allowed without approval, unless the request sets its own limit.',
    ),
    ceiling_major_units: majorUnits('Amounts above this ceiling are always denied.'),
    max_user_limit_major_units: majorUnits(
      'Highest limit that a request can set with `user_limit_minor_units`. 0 means that no request can raise the limit, which is the default if the profile sets a limit.',
    ),
    currencies: PatternMap(
      '^[A-Z]{3}$',
      'must be an ISO 4217 code, such as `EUR`',
      CurrencyLimits,
      'Limits for individual currencies. A currency without its own limit uses the general limit, for example `limit_major_units`.',
    ),
    missing: missing('spend'),
  }),
  // Only unvalidated requests lead to `amount_not_exact`, `category_unknown` or `flag_unknown`.
  codes: ['within_limit', 'amount_above_limit', 'amount_above_ceiling', 'amount_not_exact'],
  facts: {
    currency: Type.Optional(Text('Currency of the amounts, as an ISO 4217 code.')),
    amount_minor_units: amount('Cost of the action, in minor units.'),
    limit_minor_units: amount('Largest amount that this request can spend without approval.'),
    ceiling_minor_units: amount('Amounts above this ceiling are denied.'),
  },
  remedy: {
    max_amount_minor_units: amount('Largest amount that would be allowed, in minor units.'),
  },
} as const satisfies RuleSchemas;

const piiGuardrail = {
  section: 'pii',
  check: StrictTitled('Pii', {
    categories: Type.Array(OneOf(PII_CATEGORIES, undefined, 'PiiCategory'), {
      description:
        'Categories of personal data that the action involves. An empty list declares that the action involves no personal data.',
    }),
  }),
  profile: StrictTitled('PiiProfile', {
    categories: outcomeByLabel(
      PII_CATEGORIES,
      'Outcome per category. The strictest outcome decides.',
    ),
    missing: missing('pii'),
  }),
  codes: [
    'nothing_claimed',
    'categories_allowed',
    'category_needs_approval',
    'category_denied',
    'category_unknown',
  ],
  facts: {
    categories: outcomes('Outcome that the profile assigns to each category in the request.'),
  },
  remedy: {
    drop_categories: Type.Optional(Texts('Categories that prevent the action from being allowed.')),
  },
} as const satisfies RuleSchemas;

const legalCompliance = {
  section: 'legal',
  check: StrictTitled('Legal', {
    flags: Type.Array(OneOf(LEGAL_FLAGS, undefined, 'LegalFlag'), {
      description:
        'Legal issues that the action raises, such as `export_controlled`. An empty list declares that the action raises no legal issues.',
    }),
  }),
  profile: StrictTitled('LegalProfile', {
    flags: outcomeByLabel(LEGAL_FLAGS, 'Outcome per flag. The strictest outcome decides.'),
    missing: missing('legal'),
  }),
  codes: ['nothing_claimed', 'flags_allowed', 'flag_needs_approval', 'flag_denied', 'flag_unknown'],
  facts: { flags: outcomes('Outcome that the profile assigns to each flag in the request.') },
  remedy: { drop_flags: Type.Optional(Texts('Flags that prevent the action from being allowed.')) },
} as const satisfies RuleSchemas;

const scopes = (description: string) => {
  const scope = Type.String({
    pattern: '^mcp://(?!$)[A-Za-z0-9._-]*\\*?$',
    'x-violation':
      'must be `mcp://<name>` or `mcp://<prefix>*` with only letters, digits, `.`, `_` and `-`',
  });
  return Type.Array(scope, { description, maxItems: 200 });
};

const connectorScope = {
  section: 'connector',
  check: StrictTitled('Connector', {
    scope: Nullish(
      Text(
        'Scope of the MCP connector that the action uses, as `mcp://<name>`. Leave out `connector` if the action uses none. By default, a connector without a scope needs approval.',
      ),
    ),
  }),
  profile: StrictTitled('ConnectorProfile', {
    deny: scopes(
      'Denied scopes, which are checked first. `mcp://root` also denies `mcp://root/x`.',
    ),
    require_approval: scopes('Scopes that need approval, matched exactly. Checked after `deny`.'),
    allow: scopes('Allowed scopes, matched exactly. Checked after `deny` and `require_approval`.'),
    unlisted: withoutAllow('Outcome for an unlisted scope, and for a connector without a scope.'),
    missing: missingOrNoEntry('connector', 'connector_scope'),
  }),
  codes: [
    'scope_missing',
    'scope_allowed',
    'scope_needs_approval',
    'scope_denied',
    'scope_unknown',
  ],
  facts: { scope: Type.Optional(Text('Scope in the request, shortened to 128 characters.')) },
  remedy: { use_scopes: Type.Optional(Texts('Up to 20 scopes that would be allowed.')) },
} as const satisfies RuleSchemas;

/** Rules by name, in the order in which a response lists them. */
export const RULE_SCHEMAS = {
  spend_limit: spendLimit,
  pii_guardrail: piiGuardrail,
  legal_compliance: legalCompliance,
  connector_scope: connectorScope,
} as const;
