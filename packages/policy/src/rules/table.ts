import { RULE_SCHEMAS, type SectionRuleName } from '@gatehouse/contracts';
import { connectorScope } from './connector-scope.ts';
import { legalCompliance, piiGuardrail } from './labels.ts';
import type { Rule } from './rule.ts';
import { spendLimit } from './spend-limit.ts';

const RULE_BY_NAME: {
  readonly [R in SectionRuleName]: Rule<(typeof RULE_SCHEMAS)[R]['section']>;
} = {
  spend_limit: spendLimit,
  pii_guardrail: piiGuardrail,
  legal_compliance: legalCompliance,
  connector_scope: connectorScope,
};

const NAMES = Object.keys(RULE_SCHEMAS) as readonly SectionRuleName[];

/** The rules that read a section, with their names, in the order in which a response lists them. */
export const RULE_TABLE = NAMES.map((name) => ({
  name,
  section: RULE_SCHEMAS[name].section,
  ...(RULE_BY_NAME[name] as Rule),
}));
