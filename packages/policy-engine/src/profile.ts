import type { LegalFlag, Outcome, PiiCategory } from '@gatehouse/contracts';

/** What the spend rule compares with, in whole major units of the request's currency. */
export interface SpendLimits {
  /** Amounts up to this one are allowed, unless the request names a limit of its own. */
  readonly autoAllowMajorUnits: number;
  /** Amounts above this one are denied, whatever limit the request names. */
  readonly ceilingMajorUnits: number;
}

/** The outcome for each label, and for a label that is not listed. */
export interface LabelOutcomes {
  readonly outcomes: Readonly<Record<string, Outcome>>;
  readonly unknown: Exclude<Outcome, 'allow'>;
}

/** Connector scopes by name, the `<name>` of `mcp://<name>`; any other scope needs approval. */
export interface ScopeNames {
  /** Allowed as exactly `mcp://<name>`. */
  readonly allowed: readonly string[];
  /** Denied, whatever follows the name. */
  readonly denied: readonly string[];
}

/**
 * The data that the rules judge by: plain JSON. It is compiled at its first use and must not
 * change from then on; make a new one instead.
 *
 * @example A profile that allows one more connector:
 * ```ts
 * const { allowed, denied } = defaultProfile.connectorScopes;
 * const connectorScopes = { allowed: [...allowed, 'billing'], denied };
 * checkPolicy(request, { ...defaultProfile, connectorScopes });
 * ```
 */
export interface Profile {
  readonly spend: SpendLimits;
  readonly piiCategories: LabelOutcomes;
  readonly legalFlags: LabelOutcomes;
  readonly connectorScopes: ScopeNames;
}

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
