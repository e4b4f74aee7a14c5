import { digitsOf, money } from './currencies.ts';

/*
 * The oracle: what spec/policy-service.md (sections 2 and 4) and contract section 2 ask
 * for, written out by hand. INVARIANT: nothing here comes from the engine or from the
 * contracts package.
 */

export const CATEGORIES = [
  'basic_contact',
  'location',
  'financial',
  'health',
  'biometric',
  'government_id',
  'other',
] as const;
export const FLAGS = [
  'prohibited_content',
  'requires_review',
  'terms_unknown',
  'export_controlled',
  'other',
] as const;
export const ALLOWED_NAMES = ['calendar', 'crm', 'email', 'files', 'support', 'tasks'];
export const DENIED_NAMES = ['root', 'secrets', 'admin'];
const SCHEME = 'mcp://';

export type Category = (typeof CATEGORIES)[number];
export type Flag = (typeof FLAGS)[number];
export type SpendInput = {
  amount_minor_units: number;
  currency: string;
  user_limit_minor_units?: number | null;
};
export type CheckInput = {
  request_id?: string | null;
  spend?: SpendInput | null;
  pii?: { categories: Category[] } | null;
  legal?: { flags: Flag[] } | null;
  connector?: { scope?: string | null } | null;
};

export type Verdict = 'allow' | 'require_approval' | 'deny';
type Rule = 'spend_limit' | 'pii_guardrail' | 'legal_compliance' | 'connector_scope';
/** One line of the answer: `names` are the words its `detail` has to contain. */
export type Expected = { rule: Rule; outcome: Verdict; names: string[] };

const DEFAULT_LIMIT_MAJOR = 100;
const CEILING_MAJOR = 500;

const CATEGORY_OUTCOME: Record<Category, Verdict> = {
  basic_contact: 'allow',
  location: 'allow',
  financial: 'require_approval',
  health: 'require_approval',
  biometric: 'deny',
  government_id: 'deny',
  other: 'allow',
};

const FLAG_OUTCOME: Record<Flag, Verdict> = {
  prohibited_content: 'deny',
  requires_review: 'require_approval',
  terms_unknown: 'require_approval',
  export_controlled: 'require_approval',
  other: 'allow',
};

export const STRICTNESS: readonly Verdict[] = ['allow', 'require_approval', 'deny'];

/** The strictest of several verdicts; `allow` of none. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return STRICTNESS.findLast((verdict) => verdicts.includes(verdict)) ?? 'allow';
}

export function defaultLimit(currency: string): number {
  return DEFAULT_LIMIT_MAJOR * 10 ** digitsOf(currency);
}

export function hardCeiling(currency: string): number {
  return CEILING_MAJOR * 10 ** digitsOf(currency);
}

export function expectedSpend({
  amount_minor_units: amount,
  currency,
  user_limit_minor_units,
}: SpendInput): Verdict {
  if (amount > hardCeiling(currency)) return 'deny';
  return amount <= (user_limit_minor_units ?? defaultLimit(currency))
    ? 'allow'
    : 'require_approval';
}

export function expectedScope(scope: string | null | undefined): Verdict {
  const text = (scope ?? '').trim();
  const rest = text.slice(SCHEME.length);
  if (lowerAscii(text.slice(0, SCHEME.length)) !== SCHEME) return 'require_approval';
  const name = rest.split(/[/?#:@]/)[0] ?? '';
  if (DENIED_NAMES.includes(lowerAscii(name))) return 'deny';
  return ALLOWED_NAMES.includes(lowerAscii(rest)) ? 'allow' : 'require_approval';
}

/** The whole answer, in the order of the contract. */
export function expectedRules({ spend, pii, legal, connector }: CheckInput): Expected[] {
  const rules: Expected[] = [
    spend
      ? line('spend_limit', expectedSpend(spend), [money(spend.amount_minor_units, spend.currency)])
      : line('spend_limit', 'require_approval', []),
    pii
      ? line(
          'pii_guardrail',
          strictest(pii.categories.map((category) => CATEGORY_OUTCOME[category])),
          pii.categories,
        )
      : line('pii_guardrail', 'require_approval', []),
    legal
      ? line(
          'legal_compliance',
          strictest(legal.flags.map((flag) => FLAG_OUTCOME[flag])),
          legal.flags,
        )
      : line('legal_compliance', 'require_approval', []),
  ];
  if (!connector) return rules;
  const scope = connector.scope?.trim() ?? '';
  return [
    ...rules,
    line('connector_scope', expectedScope(connector.scope), scope === '' ? [] : [scope]),
  ];
}

export function expectedDecision(rules: readonly Expected[]): Verdict {
  return strictest(rules.map(({ outcome }) => outcome));
}

function line(rule: Rule, outcome: Verdict, names: readonly string[]): Expected {
  return { rule, outcome, names: [...new Set(names)] };
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}
