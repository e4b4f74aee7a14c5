/** Why a rule gave its outcome, for programs: a closed list, and the meaning of each code. */
export const REASONS = {
  section_missing: 'The request has no section for this rule.',
  within_limit: 'The amount is within the limit.',
  amount_above_limit: 'The amount is above the limit, and not above the ceiling.',
  amount_above_ceiling: 'The amount is above the ceiling.',
  amount_not_exact: 'Amount and limit are not whole minor units of a known currency.',
  nothing_claimed: 'The list is empty, which claims that there is nothing.',
  categories_allowed: 'Every category is allowed.',
  category_needs_approval: 'At least one category needs approval, and none is denied.',
  category_denied: 'At least one category is denied.',
  category_unknown:
    'A category is unknown; this is possible only for requests that were not validated.',
  flags_allowed: 'Every flag is allowed.',
  flag_needs_approval: 'At least one flag needs approval, and none is denied.',
  flag_denied: 'At least one flag is denied.',
  flag_unknown: 'A flag is unknown; this is possible only for requests that were not validated.',
  scope_missing: 'The connector names no scope.',
  scope_allowed: 'The scope is exactly one that is allowed.',
  scope_needs_approval: 'The scope is exactly one that needs approval.',
  scope_denied: 'The name of the scope is denied, whatever follows it.',
  scope_unknown: 'The scope is in no list.',
} as const;
export type ReasonCode = keyof typeof REASONS;
export const REASON_CODES = Object.keys(REASONS) as ReasonCode[];
