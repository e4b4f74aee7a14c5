import { digitsOf, money } from './currencies.ts';

/*
 * The oracle: `policy-service.md` (sections 2 and 4) and docs/contract.md, written out by
 * hand. INVARIANT: nothing here comes from the engine or from the contracts package.
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

type Category = (typeof CATEGORIES)[number];
type Flag = (typeof FLAGS)[number];
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
type Line = { rule: string; outcome: Verdict; detail: string };
/** Response to a check, either from the engine or from this decision table. */
type Answer = { decision: Verdict; rules: Line[] };

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

/** Returns the strictest verdict, or `allow` for an empty list. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return STRICTNESS.findLast((verdict) => verdicts.includes(verdict)) ?? 'allow';
}

export function defaultLimit(currency: string): number {
  return DEFAULT_LIMIT_MAJOR * 10 ** digitsOf(currency);
}

export function hardCeiling(currency: string): number {
  return CEILING_MAJOR * 10 ** digitsOf(currency);
}

function expectedSpend({
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

/** Returns the whole response, word for word. */
export function expectedAnswer({ spend, pii, legal, connector }: CheckInput): Answer {
  const rules = [
    spend ? spendLine(spend) : missing('spend_limit', SPEND_MISSING),
    pii
      ? labelLine(
          'pii_guardrail',
          ['PII category', 'PII categories'],
          CATEGORY_OUTCOME,
          pii.categories,
        )
      : missing('pii_guardrail', PII_MISSING),
    legal
      ? labelLine('legal_compliance', ['Legal flag', 'Legal flags'], FLAG_OUTCOME, legal.flags)
      : missing('legal_compliance', LEGAL_MISSING),
    ...(connector ? [scopeLine(connector.scope)] : []),
  ];
  return { decision: strictest(rules.map(({ outcome }) => outcome)), rules };
}

const SPEND_MISSING = 'The request has no spend section, so the cost of the action is unknown.';
const PII_MISSING = 'The request has no pii section, so the personal data involved is unknown.';
const LEGAL_MISSING = 'The request has no legal section, so its legal flags are unknown.';

function missing(rule: string, detail: string): Line {
  return { rule, outcome: 'require_approval', detail };
}

function spendLine(spend: SpendInput): Line {
  const { amount_minor_units, currency, user_limit_minor_units } = spend;
  const amount = money(amount_minor_units, currency);
  const limit = money(user_limit_minor_units ?? defaultLimit(currency), currency);
  const outcome = expectedSpend(spend);
  const detail = {
    allow: `${amount} is within the limit of ${limit}.`,
    require_approval: `${amount} is above the limit of ${limit} and needs approval.`,
    deny: `${amount} is above the ceiling of ${money(hardCeiling(currency), currency)}.`,
  }[outcome];
  return { rule: 'spend_limit', outcome, detail };
}

/** Names each label once: first those that decide, in the order of the specification. */
function labelLine<L extends string>(
  rule: string,
  [singular, plural]: readonly [string, string],
  table: Record<L, Verdict>,
  labels: readonly L[],
): Line {
  if (labels.length === 0) return { rule, outcome: 'allow', detail: `${plural}: none claimed.` };
  const outcome = strictest(labels.map((label) => table[label]));
  const listed = (Object.keys(table) as L[]).filter((label) => labels.includes(label));
  const decisive = listed.filter((label) => table[label] === outcome);
  const others = listed.filter((label) => table[label] !== outcome);
  const last = decisive.pop();
  const one = decisive.length === 0;
  const named = one ? `${singular} ${last}` : `${plural} ${decisive.join(', ')} and ${last}`;
  const verdict = {
    allow: one ? 'is allowed' : 'are allowed',
    require_approval: one ? 'needs approval' : 'need approval',
    deny: one ? 'is denied' : 'are denied',
  }[outcome];
  const rest = others.length === 0 ? '' : `; the request also lists: ${others.join(', ')}`;
  return { rule, outcome, detail: `${named} ${verdict}${rest}.` };
}

/**
 * Shortens the scope in the detail to 128 code units. If the cut splits a character, the remaining
 * half becomes U+FFFD.
 */
function scopeLine(scope: string | null | undefined): Line {
  const rule = 'connector_scope';
  const text = (scope ?? '').trim();
  if (text === '') return missing(rule, 'The connector has no scope and needs consent.');
  const outcome = expectedScope(text);
  const shown = (text.length > 128 ? `${text.slice(0, 128)}…` : text).toWellFormed();
  const verdict = {
    allow: 'is allowed',
    require_approval: 'is not on any list in the profile, so it needs consent',
    deny: 'is sensitive and denied',
  }[outcome];
  return { rule, outcome, detail: `Scope ${shown} ${verdict}.` };
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}
