import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Name, NameMap, OneOf, PatternMap, Strict, StrictTitled, Text } from '../schema.ts';
import { LEGAL_FLAGS, minorUnits, PII_CATEGORIES } from './check.ts';
import { Decision } from './decision.ts';

// No currency has more than 4 decimal places, so the limit is a safe integer even in minor units.
const MAX_MAJOR_UNITS = Math.floor(Number.MAX_SAFE_INTEGER / 10_000);

const majorUnits = (description: string) =>
  Type.Integer({ minimum: 0, maximum: MAX_MAJOR_UNITS, description });

/** Outcome that cannot be `allow`, so that omitting a section cannot bypass a rule. */
const withoutAllow = (description: string) => OneOf(['require_approval', 'deny'], description);
const missing = (section: string) =>
  withoutAllow(`Outcome if a request has no \`${section}\` section.`);

const byLabel = <const L extends string>(labels: readonly L[], description: string) =>
  Strict(
    Object.fromEntries(labels.map((label) => [label, Decision])) as Record<L, typeof Decision>,
    { description },
  );

const scopes = (description: string) => {
  const scope = Type.String({
    pattern: '^mcp://(?!$)[A-Za-z0-9._-]*\\*?$',
    'x-violation':
      'must be `mcp://<name>` or `mcp://<prefix>*` with only letters, digits, `.`, `_` and `-`',
  });
  return Type.Array(scope, { description, maxItems: 200 });
};

const replaces = (limit: string) =>
  minorUnits(`Value in minor units to use for this currency instead of \`${limit}\`.`);

const CurrencyLimits = StrictTitled('CurrencyLimits', {
  limit_minor_units: replaces('limit_major_units'),
  ceiling_minor_units: replaces('ceiling_major_units'),
  max_user_limit_minor_units: replaces('max_user_limit_major_units'),
});

/** Parameters of the policy rules (`policy-service.md` sections 4 and 8). */
export const Profile = StrictTitled('Profile', {
  name: Name('Name of the profile, shown in log lines, metrics and explanations.'),
  version: Type.String({
    pattern: '^[\\x21-\\x7e]{1,64}$',
    'x-violation': 'must be a string of 1 to 64 visible ASCII characters; put numbers in quotes',
    description: "Version that the profile's author chooses, with no effect on decisions.",
  }),
  spend: StrictTitled('SpendProfile', {
    limit_major_units: majorUnits(
      'Largest amount that is allowed without approval, unless the request sets its own limit.',
    ),
    ceiling_major_units: majorUnits('Amounts above this ceiling are always denied.'),
    max_user_limit_major_units: majorUnits(
      'Highest limit that a request can set with `user_limit_minor_units`. 0 means that no request can raise the limit.',
    ),
    currencies: PatternMap(
      '^[A-Z]{3}$',
      'must be an ISO 4217 code, such as `EUR`',
      CurrencyLimits,
      'Limits for individual currencies. A currency without its own limit uses the general limit, for example `limit_major_units`.',
    ),
    missing: missing('spend'),
  }),
  pii: StrictTitled('PiiProfile', {
    categories: byLabel(PII_CATEGORIES, 'Outcome per category. The strictest outcome decides.'),
    missing: missing('pii'),
  }),
  legal: StrictTitled('LegalProfile', {
    flags: byLabel(LEGAL_FLAGS, 'Outcome per flag. The strictest outcome decides.'),
    missing: missing('legal'),
  }),
  connector: StrictTitled('ConnectorProfile', {
    deny: scopes(
      'Denied scopes, which are checked first. `mcp://root` also denies `mcp://root/x`.',
    ),
    require_approval: scopes('Scopes that need approval, matched exactly. Checked after `deny`.'),
    allow: scopes('Allowed scopes, matched exactly. Checked after `deny` and `require_approval`.'),
    unlisted: withoutAllow('Outcome for an unlisted scope, and for a connector without a scope.'),
    missing: OneOf(
      ['no_entry', 'require_approval', 'deny'],
      'Outcome if a request has no `connector` section. With `no_entry`, the response does not list the rule `connector_scope`.',
    ),
  }),
});
export type Profile = Frozen<Static<typeof Profile>>;

type Frozen<T> = { readonly [K in keyof T]: Frozen<T[K]> };
type Partly<T> = T extends readonly unknown[] | string | number
  ? T
  : { readonly [K in keyof T]?: Partly<T[K]> };

export type ProfileSource = Partly<Profile> & Pick<Profile, 'name'>;
export const ProfileSource = Type.Unsafe<ProfileSource>({
  ...withoutRequired(Profile),
  required: ['name'],
});

function withoutRequired({ required: _, ...schema }: TSchema): TSchema {
  for (const members of ['properties', 'patternProperties']) {
    if (schema[members] === undefined) continue;
    const each = Object.entries<TSchema>(schema[members]);
    schema[members] = Object.fromEntries(
      each.map(([key, member]) => [key, withoutRequired(member)]),
    );
  }
  return schema as TSchema;
}

export const ProfileInForce = StrictTitled('ProfileInForce', {
  profile: Type.Unsafe<Profile>(Profile),
  digest: Text('SHA-256 of `profile` as canonical JSON (RFC 8785), in hexadecimal.'),
});
export type ProfileInForce = Static<typeof ProfileInForce>;

export const ProfileSet = Strict({
  default: Name('Name of the profile for callers that are not in `callers`.'),
  profiles: Type.Array(ProfileSource, { minItems: 1, maxItems: 100 }),
  callers: Type.Optional(
    NameMap(
      Name('Name of a profile.'),
      "Name of the profile for each caller. Each key is the name of a caller's token.",
    ),
  ),
});
export type ProfileSet = Frozen<Static<typeof ProfileSet>>;

/** JSON Schema for profile files. Uses draft 7, because all editors support draft 7. */
export const ProfileFile = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Gatehouse policy profile',
  if: { required: ['profiles'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, not a promise.
  then: ProfileSet,
  else: ProfileSource,
};
