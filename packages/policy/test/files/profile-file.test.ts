import { completeProfile, defaultProfile } from '@gatehouse/policy';
import { describe, expect, it } from 'vitest';
import { profileFor, readProfiles } from '../../src/files/index.ts';

const YAML = `
# Half of everything.
name: cautious
version: "2"
spend:
  limit_major_units: 50
  currencies:
    JPY: { limit_minor_units: 15000, ceiling_minor_units: 75000 }
pii: { categories: { location: deny } }
connector:
  allow: [mcp://crm, mcp://team-*]
`;
const EXPECTED = completeProfile({
  name: 'cautious',
  version: '2',
  spend: {
    limit_major_units: 50,
    currencies: { JPY: { limit_minor_units: 15_000, ceiling_minor_units: 75_000 } },
  },
  pii: { categories: { location: 'deny' } },
  connector: { allow: ['mcp://crm', 'mcp://team-*'] },
});

describe('a profile file', () => {
  it('contains one profile, in YAML or JSON with any indentation', () => {
    const json = {
      name: 'cautious',
      version: '2',
      spend: EXPECTED.spend,
      pii: EXPECTED.pii,
      connector: EXPECTED.connector,
    };
    for (const text of [
      YAML,
      YAML.replaceAll('\n', '\r\n'),
      `\uFEFF${YAML}`,
      ...[undefined, 2, '\t'].map((indent) => JSON.stringify(json, null, indent)),
    ]) {
      const profiles = readProfiles(text, 'x');
      expect(profiles).toEqual({ default: EXPECTED, all: [EXPECTED], callers: new Map() });
    }
  });

  it('contains several profiles and their callers', () => {
    const text =
      'default: a\nprofiles:\n  - &a\n    name: a\n  - name: b\n    spend: { limit_major_units: 5 }\ncallers:\n  p: b\n  q: a\n';
    const profiles = readProfiles(text, 'x');
    const b = completeProfile({ name: 'b', spend: { limit_major_units: 5 } });
    expect(profileFor(profiles, 'p')).toEqual(b);
    for (const caller of [undefined, 'q', 'other', 'constructor'])
      expect(profileFor(profiles, caller)).toEqual({ ...defaultProfile, name: 'a' });
  });
});
