import type { LegalFlag, Outcome, PiiCategory } from '@gatehouse/contracts';
import { type LabelPolicy, labelPolicy } from './labels.ts';
import { type ScopePolicy, scopePolicy } from './scopes.ts';

/**
 * Everything about a policy that may differ between operators; the rules hold no
 * constants of their own.
 */
export interface Profile {
  /** In whole major units of the request's currency. */
  readonly spend: { readonly autoAllowMajorUnits: number; readonly ceilingMajorUnits: number };
  readonly piiCategories: LabelPolicy;
  readonly legalFlags: LabelPolicy;
  readonly connectorScopes: ScopePolicy;
}

/** The static constants of spec `policy-service.md` sections 4 and 8. */
export const defaultProfile: Profile = {
  spend: { autoAllowMajorUnits: 100, ceilingMajorUnits: 500 },
  piiCategories: labelPolicy('PII categories', {
    basic_contact: 'allow',
    location: 'allow',
    financial: 'require_approval',
    health: 'require_approval',
    biometric: 'deny',
    government_id: 'deny',
    other: 'allow',
  } satisfies Record<PiiCategory, Outcome>),
  legalFlags: labelPolicy('Legal flags', {
    prohibited_content: 'deny',
    requires_review: 'require_approval',
    terms_unknown: 'require_approval',
    export_controlled: 'require_approval',
    other: 'allow',
  } satisfies Record<LegalFlag, Outcome>),
  connectorScopes: scopePolicy({
    allowed: ['calendar', 'crm', 'email', 'files', 'support', 'tasks'],
    denied: ['root', 'secrets', 'admin'],
  }),
};
