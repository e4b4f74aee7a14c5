import type { Profile } from '@gatehouse/contracts';

/** Built-in profile with the limits and lists from `policy-service.md`, sections 4 and 8. */
export const defaultProfile: Profile = {
  name: 'default',
  version: '1',
  spend: {
    limit_major_units: 100,
    ceiling_major_units: 500,
    max_user_limit_major_units: 500,
    currencies: {},
    missing: 'require_approval',
  },
  pii: {
    categories: {
      basic_contact: 'allow',
      location: 'allow',
      financial: 'require_approval',
      health: 'require_approval',
      biometric: 'deny',
      government_id: 'deny',
      other: 'allow',
    },
    missing: 'require_approval',
  },
  legal: {
    flags: {
      prohibited_content: 'deny',
      requires_review: 'require_approval',
      terms_unknown: 'require_approval',
      export_controlled: 'require_approval',
      other: 'allow',
    },
    missing: 'require_approval',
  },
  connector: {
    deny: ['mcp://root', 'mcp://secrets', 'mcp://admin'],
    require_approval: [],
    allow: [
      'mcp://calendar',
      'mcp://crm',
      'mcp://email',
      'mcp://files',
      'mcp://support',
      'mcp://tasks',
    ],
    unlisted: 'require_approval',
    missing: 'no_entry',
  },
};
