import type { LegalFlag, Outcome, PiiCategory, Profile as ProfileData } from '@gatehouse/contracts';

/**
 * The data that the rules judge by: plain JSON. It is compiled at its first use, and
 * a later change has no effect; make a new one instead.
 *
 * @example A profile that allows one more connector:
 * ```ts
 * const { allowed, denied } = defaultProfile.connectorScopes;
 * const connectorScopes = { allowed: [...allowed, 'billing'], denied };
 * checkPolicy(request, { ...defaultProfile, connectorScopes });
 * ```
 */
export type Profile = ProfileData;
export type SpendLimits = Profile['spend'];
export type LabelOutcomes = Profile['piiCategories'];
export type ScopeNames = Profile['connectorScopes'];

/** The static constants of spec `policy-service.md` sections 4 and 8. */
export const defaultProfile: Profile = {
  spend: { autoAllowMajorUnits: 100, ceilingMajorUnits: 500 },
  piiCategories: {
    outcomes: {
      basic_contact: 'allow',
      location: 'allow',
      financial: 'require_approval',
      health: 'require_approval',
      biometric: 'deny',
      government_id: 'deny',
      other: 'allow',
    } satisfies Record<PiiCategory, Outcome>,
    unknown: 'deny',
  },
  legalFlags: {
    outcomes: {
      prohibited_content: 'deny',
      requires_review: 'require_approval',
      terms_unknown: 'require_approval',
      export_controlled: 'require_approval',
      other: 'allow',
    } satisfies Record<LegalFlag, Outcome>,
    unknown: 'deny',
  },
  connectorScopes: {
    allowed: ['calendar', 'crm', 'email', 'files', 'support', 'tasks'],
    denied: ['root', 'secrets', 'admin'],
  },
};
