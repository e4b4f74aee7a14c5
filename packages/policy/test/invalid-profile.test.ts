import { describe, expect, it } from 'vitest';
import {
  checkPolicy,
  compileProfile,
  completeProfile,
  defaultProfile,
  evaluate,
  InvalidProfile,
  type Profile,
  type ProfileSource,
} from '../src/index.ts';

const { spend, pii, connector } = defaultProfile;
const MAX_MAJOR = 900_719_925_474;
const LIMIT = '/spend/limit_major_units';
const CEILING = '/spend/ceiling_major_units';
const MOST = '/spend/max_user_limit_major_units';
const SCOPE =
  'must be `mcp://<name>` or `mcp://<prefix>*` with only letters, digits, `.`, `_` and `-`';
const NAME = 'must be a string of 1 to 64 letters, digits, `.`, `_` or `-`';

const limited = (limit: unknown, ceiling: unknown, most = ceiling) => ({
  ...defaultProfile,
  spend: {
    ...spend,
    limit_major_units: limit,
    ceiling_major_units: ceiling,
    max_user_limit_major_units: most,
  },
});
const labelled = (outcomes: object) => ({
  ...defaultProfile,
  pii: { ...pii, categories: { ...pii.categories, ...outcomes } },
});
const scoped = (lists: object) => ({ ...defaultProfile, connector: { ...connector, ...lists } });
const inEuros = (limits: object, code = 'EUR') => ({
  ...defaultProfile,
  spend: { ...spend, currencies: { [code]: limits } },
});
const EUROS = '/spend/currencies/EUR';

/** Invalid profiles that untyped code could pass to the engine, with their violations. */
const INVALID: [profile: unknown, ...violations: string[]][] = [
  [null, 'The profile must be an object'],
  [[], 'The profile must be an object'],
  [limited(100, undefined, 500), `${CEILING} is required`],
  [limited(1, Number.NaN, 1), `${CEILING} must be an integer`],
  [limited(1, Number.POSITIVE_INFINITY, 1), `${CEILING} must be an integer`],
  [limited('1', 5), `${LIMIT} must be an integer`],
  [limited(0.5, 5), `${LIMIT} must be an integer`],
  [limited(-1, 5), `${LIMIT} must be at least 0`],
  [limited(0, MAX_MAJOR + 1, 0), `${CEILING} must be at most ${MAX_MAJOR}`],
  [limited(5, 4), `${CEILING} must be at least as high as the limit, which is 5 major units`],
  ...[1, 4, 11].map((most): [unknown, string] => [
    limited(5, 10, most),
    `${MOST} must be 0 (callers cannot raise the limit) or between the limit of 5 major units and the ceiling of 10 major units`,
  ]),
  [
    inEuros({ limit_minor_units: 11, ceiling_minor_units: 10, max_user_limit_minor_units: 0 }),
    `${EUROS}/ceiling_minor_units must be at least as high as the limit, which is 11 (EUR 0.11)`,
  ],
  [
    inEuros({ limit_minor_units: 5, ceiling_minor_units: 10, max_user_limit_minor_units: 11 }),
    `${EUROS}/max_user_limit_minor_units must be 0 (callers cannot raise the limit) or between the limit of 5 (EUR 0.05) and the ceiling of 10 (EUR 0.10)`,
  ],
  ...['ZZZ', 'XAU'].map((code): [unknown, string] => [
    inEuros({ limit_minor_units: 1, ceiling_minor_units: 1, max_user_limit_minor_units: 1 }, code),
    `/spend/currencies/${code} is not the ISO 4217 code of a currency with minor units`,
  ]),
  ...['eur', 'EURO', 'EUR\n', '__proto__x'].map((code): [unknown, string] => [
    inEuros({}, code),
    `/spend/currencies/${code} must be an ISO 4217 code, such as \`EUR\``,
  ]),
  [
    labelled({ biometric: 'DENY' }),
    '/pii/categories/biometric must be one of allow, require_approval, deny',
  ],
  [
    labelled(JSON.parse('{"__proto__":"deny"}')),
    '/pii/categories/__proto__ is an unknown property; known: basic_contact, location, financial, health, biometric, government_id, other',
  ],
  [
    { ...defaultProfile, pii: { ...pii, missing: 'allow' } },
    '/pii/missing must be one of require_approval, deny',
  ],
  [
    scoped({ missing: 'allow' }),
    '/connector/missing must be one of no_entry, require_approval, deny',
  ],
  [scoped({ unlisted: 'allow' }), '/connector/unlisted must be one of require_approval, deny'],
  [
    { ...defaultProfile, spent: spend },
    '/spent is an unknown property; known: name, version, spend, pii, legal, connector, actions',
  ],
  [{ ...defaultProfile, name: 'my own' }, `/name ${NAME}`],
  [{ ...defaultProfile, name: '' }, `/name ${NAME}`],
  [
    { ...defaultProfile, version: 2 },
    '/version must be a string of 1 to 64 visible ASCII characters; put numbers in quotes',
  ],
  [scoped({ allow: 'mcp://crm' }), '/connector/allow must be an array'],
  [
    scoped({ allow: Array.from({ length: 201 }, (_, n) => `mcp://s${n}`) }),
    '/connector/allow must have at most 200 items',
  ],
  ...[
    ...['', ' ', 'root', 'mcp://', 'mcp:/a', 'MCP://a', 'mcp://a b', 'mcp://root\n', 'mcp://root/'],
    ...['mcp://a:b', 'mcp://*a', 'mcp://a**', 'mcp://a*b', 'mcp://büro', 1],
  ].map((scope): [unknown, string] => [
    scoped({ deny: ['mcp://x', scope] }),
    `/connector/deny/1 ${SCOPE}`,
  ]),
];

/**
 * Scope names in the lists [deny, require_approval, allow], then each entry that never matches and
 * the entry that matches first.
 */
const DEAD: [lists: [string, string, string], ...violations: string[]][] = [
  [['root', '', 'root'], 'allow/0 `mcp://root` in `deny`'],
  [['root', '', 'ROOT'], 'allow/0 `mcp://root` in `deny`'],
  [['team-*', '', 'team-a'], 'allow/0 `mcp://team-*` in `deny`'],
  [['team-*', '', 'team-a*'], 'allow/0 `mcp://team-*` in `deny`'],
  [['team-*', 'team-*', ''], 'require_approval/0 `mcp://team-*` in `deny`'],
  [['', 'pay', 'x pay'], 'allow/1 `mcp://pay` in `require_approval`'],
  [['', '', 'a a'], 'allow/1 `mcp://a` in `allow`'],
  [['', '', '* a'], 'allow/1 `mcp://*` in `allow`'],
  [['a b', 'a', 'b c'], 'require_approval/0 `mcp://a` in `deny`', 'allow/0 `mcp://b` in `deny`'],
  [['team-a', '', 'team-*']],
  [['team-a*', 'team-b', 'team-*']],
  [['', 'team-*', 'team']],
  [['', '', 'team-a team-*']],
  [['a', 'b', 'c']],
];

describe('an invalid profile is refused', () => {
  it.each(INVALID)('%j', (value, ...violations) => {
    const profile = value as Profile;
    const error = expect.objectContaining({
      name: 'InvalidProfile',
      message: ['Correct the profile.', ...violations].join('\n'),
    });
    // Compile twice, because a failure must not be cached as a success.
    expect(() => compileProfile(profile)).toThrow(InvalidProfile);
    expect(() => compileProfile(profile)).toThrow(error);
    expect(() => evaluate({}, profile)).toThrow(error);
    expect(() => checkPolicy({}, profile)).toThrow(error);
    expect(() => checkPolicy('malformed', profile)).toThrow(error);
  });

  it('if a scope can never match, and the message says why', () => {
    for (const [[deny, ask, allow], ...expected] of DEAD) {
      const list = (names: string) =>
        names.split(' ').flatMap((name) => (name === '' ? [] : [`mcp://${name.toLowerCase()}`]));
      const profile = scoped({
        deny: list(deny),
        require_approval: list(ask),
        allow: list(allow),
      }) as Profile;
      const violations = expected.map((text) => {
        const [place, ...first] = text.split(' ');
        return `/connector/${place} never applies, because the entry ${first.join(' ')} matches first; remove one of the two entries`;
      });
      if (violations.length === 0) expect(() => compileProfile(profile)).not.toThrow();
      else
        expect(() => compileProfile(profile), deny + ask + allow).toThrow(
          ['Correct the profile.', ...violations].join('\n'),
        );
    }
  });
});

describe('a profile that sets only some parts', () => {
  it.each<[string, ProfileSource, string]>([
    ['has no name', {} as ProfileSource, '/name is required'],
    [
      'has a ceiling below the default limit',
      { name: 'own', spend: { ceiling_major_units: 50 } },
      `${CEILING} must be at least as high as the limit, which is 100 major units`,
    ],
    [
      'has a limit above the default ceiling',
      { name: 'own', spend: { limit_major_units: 501 } },
      `${CEILING} must be at least as high as the limit, which is 501 major units; the profile omits this member, so its default applies`,
    ],
    [
      'has limits for a code that is not a currency',
      { name: 'own', spend: { currencies: { ZZZ: { limit_minor_units: 5 } } } },
      '/spend/currencies/ZZZ is not the ISO 4217 code of a currency with minor units',
    ],
    [
      'has a ceiling of one currency below the limit of all',
      { name: 'own', spend: { currencies: { EUR: { ceiling_minor_units: 50 } } } },
      `${EUROS}/ceiling_minor_units must be at least as high as the limit, which is 10000 (EUR 100.00)`,
    ],
    [
      'allows a scope that is denied by default',
      { name: 'own', connector: { allow: ['mcp://admin'] } },
      '/connector/allow/0 never applies, because the entry `mcp://admin` in `deny` matches first; remove one of the two entries',
    ],
    [
      'has a value in place of a section',
      { name: 'own', spend: null } as unknown as ProfileSource,
      '/spend must be an object',
    ],
  ])('%s', (_name, source, violation) => {
    expect(() => completeProfile(source)).toThrow(
      expect.objectContaining({ message: `Correct the profile.\n${violation}` }),
    );
  });
});

it('accepts a profile at every limit', () => {
  for (const profile of [
    defaultProfile,
    limited(0, 0),
    limited(5, 5),
    limited(5, 10, 5),
    limited(5, 10, 0),
    limited(MAX_MAJOR, MAX_MAJOR),
    scoped({ allow: ['mcp://A.b_c-9*'], deny: ['mcp://0'] }),
    scoped({ deny: Array.from({ length: 200 }, (_, n) => `mcp://s${n}`) }),
    { ...defaultProfile, name: 'a'.repeat(64), version: '~' },
  ])
    expect(() => compileProfile(profile as Profile)).not.toThrow();
});
