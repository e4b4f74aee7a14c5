import { type Static, Type } from '@sinclair/typebox';
import { requestMembers } from '../executor/destination.ts';
import { OneOf, Strict, StrictTitled, Text, Texts } from '../schema.ts';
import { Decision, withoutAllow } from './outcome.ts';
import { RULE_SCHEMAS } from './rules.ts';

const EITHER = 'or a JSON Pointer into the action, such as `/body/amount`';

const StatedSpend = Type.Unsafe<StatedSpend>({
  title: 'StatedSpend',
  description: 'What the action spends. `none` means that it spends nothing.',
  // `pattern` applies only to a string, and the other keywords only to an object.
  type: ['string', 'object'],
  pattern: '^none$',
  properties: {
    amount_minor_units: {
      type: ['integer', 'string'],
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      pattern: '^/',
      description: `Amount in minor units, ${EITHER}. The action must have an integer there.`,
      'x-violation': `must be a whole number of minor units, ${EITHER}`,
    },
    amount_major_units: {
      type: ['number', 'string'],
      minimum: 0,
      pattern: '^(?:/|(?:0|[1-9]\\d*)(?:\\.\\d+)?$)',
      description: `Amount in major units, ${EITHER}. The action must have a number or a decimal string there.`,
      'x-violation': `must be a number, a string such as \`"12.50"\`, ${EITHER}`,
    },
    currency: {
      type: 'string',
      pattern: '^(?:/|[A-Za-z]{3}$)',
      description: 'ISO 4217 alphabetic code, or a JSON Pointer into the action.',
      'x-violation': 'must be an ISO 4217 code, or a JSON Pointer such as `/body/currency`',
    },
  },
  required: ['currency'],
  additionalProperties: false,
  // `currency`, and one of the two amounts.
  minProperties: 2,
  maxProperties: 2,
  'x-violation':
    'must be `none`, or have `currency` and either `amount_minor_units` or `amount_major_units`',
});

export type StatedSpend =
  | 'none'
  | {
      readonly amount_minor_units?: number | string;
      readonly amount_major_units?: number | string;
      readonly currency: string;
    };

/** Facts about all actions that a rule matches, so that no caller has to claim them. */
const ActionFacts = StrictTitled('ActionFacts', {
  spend: Type.Optional(StatedSpend),
  pii: Type.Optional(RULE_SCHEMAS.pii_guardrail.check),
  legal: Type.Optional(RULE_SCHEMAS.legal_compliance.check),
});
export type ActionFacts = Static<typeof ActionFacts>;

/** Requests to a host, with their outcome (docs/contract.md, "Rules on the request"). */
const ActionRule = StrictTitled('ActionRule', {
  ...requestMembers('Matching'),
  outcome: Decision,
  facts: Type.Optional(ActionFacts),
});
export type ActionRule = Static<typeof ActionRule>;

export const ActionsProfile = StrictTitled('ActionsProfile', {
  missing: withoutAllow('Outcome if a request has no `action`.'),
  unlisted: withoutAllow('Outcome for an action that no rule matches.'),
  rules: Type.Array(ActionRule, {
    maxItems: 500,
    description: 'The first rule that matches an action decides.',
  }),
});

/** Parts of the rule `http_action`, which applies only if the profile has a section `actions`. */
export const HTTP_ACTION = {
  codes: [
    'action_allowed',
    'action_needs_approval',
    'action_denied',
    'action_unlisted',
    'action_ambiguous',
    'nothing_spent',
  ],
  facts: {
    action: Type.Optional(
      Strict(
        {
          method: Text('Method, in upper case.'),
          host: Text('Host, with the port unless it is the default.'),
          path: Text('Path without the query, shortened to 128 characters.'),
        },
        { description: 'The action that the rule matched.' },
      ),
    ),
    matched: Type.Optional(Text('JSON Pointer to the rule of the profile that decided.')),
    stated_by: Type.Optional(
      OneOf(['profile'], 'Present if the profile, not the caller, stated what was checked.'),
    ),
  },
  remedy: {
    use_requests: Type.Optional(
      Texts('Up to 20 patterns of requests to the same host that the profile allows.'),
    ),
  },
} as const;
