import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { LEGAL_FLAGS, minorUnits, PII_CATEGORIES } from './check.ts';
import { Decision } from './decision.ts';
import { OneOf, Strict, StrictTitled, Text } from './schema.ts';

/** Safe in minor units of every currency; they have up to 4 digits. */
const MAX_MAJOR_UNITS = Math.floor(Number.MAX_SAFE_INTEGER / 10_000);

/** At most so many entries in a list, and profiles in a file. */
const MAX_SCOPES = 200;
const MAX_PROFILES = 100;

const majorUnits = (description: string) =>
  Type.Integer({ minimum: 0, maximum: MAX_MAJOR_UNITS, description });

/** Never `allow`, because a request must not be allowed for what it does not state. */
const missing = (section: string) =>
  OneOf(['require_approval', 'deny'], `The outcome of a request without a \`${section}\` section.`);

const byLabel = <const L extends string>(labels: readonly L[], description: string) =>
  Strict(
    Object.fromEntries(labels.map((label) => [label, Decision])) as Record<L, typeof Decision>,
    {
      description,
    },
  );

/** A map whose keys have to match a pattern; `unknown` says what they have to be. */
const mapOf = <T extends TSchema>(pattern: string, unknown: string, values: T, about: object) =>
  Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    patternProperties: { [pattern]: values },
    additionalProperties: false,
    'x-unknown-member': unknown,
    ...about,
  });

const NAME = '^[A-Za-z0-9._-]{1,64}$';
const NAME_VIOLATION = 'must be 1 to 64 letters, digits, `.`, `_` and `-`, as text';
const Name = (description: string) =>
  Type.String({ pattern: NAME, 'x-violation': NAME_VIOLATION, description });

const scopes = (description: string) => {
  const scope = Type.String({
    pattern: '^mcp://(?!$)[A-Za-z0-9._-]*\\*?$',
    'x-violation':
      'must be `mcp://<name>` or `mcp://<beginning>*`: letters, digits, `.`, `_` and `-`',
  });
  return Type.Array(scope, { description, maxItems: MAX_SCOPES });
};

const currencyLimits = {
  ...StrictTitled('CurrencyLimits', {
    limit_minor_units: minorUnits('As `limit_major_units`, of this currency.'),
    ceiling_minor_units: minorUnits('As `ceiling_major_units`, of this currency.'),
    max_user_limit_minor_units: minorUnits('As `max_user_limit_major_units`, of this currency.'),
  }),
  minProperties: 1,
  'x-violation':
    'must set at least one of limit_minor_units, ceiling_minor_units and max_user_limit_minor_units',
};

/** What the rules judge by: plain JSON (spec `policy-service.md` sections 4 and 8). */
export const Profile = StrictTitled('Profile', {
  name: Name('Stands in log lines, metrics and explanations.'),
  version: Type.String({
    pattern: '^[\\x21-\\x7e]{1,64}$',
    'x-violation': 'must be 1 to 64 visible ASCII characters, in quotes where it is a number',
    description: 'Chosen by whoever writes the profile; never changes a decision.',
  }),
  spend: StrictTitled('SpendProfile', {
    limit_major_units: majorUnits(
      'Amounts up to this one are allowed, unless the request names a limit of its own.',
    ),
    ceiling_major_units: majorUnits('Amounts above this one are denied, whatever the limit.'),
    max_user_limit_major_units: majorUnits(
      'The most that `user_limit_minor_units` may raise the limit to; 0: callers cannot raise it.',
    ),
    currencies: mapOf('^[A-Z]{3}$', 'must be an ISO 4217 code, such as `EUR`', currencyLimits, {
      description: 'Other limits for some currencies; their unset parts follow those above.',
    }),
    missing: missing('spend'),
  }),
  pii: StrictTitled('PiiProfile', {
    categories: byLabel(PII_CATEGORIES, 'The outcome of each category; the strictest decides.'),
    missing: missing('pii'),
  }),
  legal: StrictTitled('LegalProfile', {
    flags: byLabel(LEGAL_FLAGS, 'The outcome of each flag; the strictest decides.'),
    missing: missing('legal'),
  }),
  connector: StrictTitled('ConnectorProfile', {
    deny: scopes('Denied first, whatever follows the name.'),
    require_approval: scopes('Then, exactly these scopes need approval.'),
    allow: scopes('Then, exactly these scopes are allowed.'),
    unlisted: OneOf(['require_approval', 'deny'], 'Any other scope, or none.'),
    missing: OneOf(
      ['no_entry', 'require_approval', 'deny'],
      'A request without a `connector` section; `no_entry`: its rule does not answer.',
    ),
  }),
});
export type Profile = Frozen<Static<typeof Profile>>;

type Frozen<T> = { readonly [K in keyof T]: Frozen<T[K]> };
type Partly<T> = T extends readonly unknown[] | string | number
  ? T
  : { readonly [K in keyof T]?: Partly<T[K]> };

/** A profile as people write it: what is not set keeps the default of the specification. */
export type ProfileSource = Partly<Profile> & Pick<Profile, 'name'>;
export const ProfileSource = Type.Unsafe<ProfileSource>({
  ...withoutRequired(Profile),
  required: ['name'],
});

/** The same members at every level, each of which may be missing. */
function withoutRequired({ required: _, ...schema }: TSchema): TSchema {
  for (const members of ['properties', 'patternProperties']) {
    if (schema[members] === undefined) continue;
    const each = Object.entries<TSchema>(schema[members]);
    schema[members] = Object.fromEntries(each.map(([key, of]) => [key, withoutRequired(of)]));
  }
  return schema as TSchema;
}

/** The answer of `GET /policy/profile`. */
export const ProfileInForce = StrictTitled('ProfileInForce', {
  profile: Type.Unsafe<Profile>(Profile),
  digest: Text('SHA-256 of the canonical JSON (RFC 8785) of `profile`, in hexadecimal.'),
});
export type ProfileInForce = Static<typeof ProfileInForce>;

/** Several profiles, and who gets which. */
export const ProfileSet = Strict({
  default: Name('The profile of callers that `callers` does not name.'),
  profiles: Type.Array(ProfileSource, { minItems: 1, maxItems: MAX_PROFILES }),
  callers: Type.Optional(
    mapOf(NAME, NAME_VIOLATION, Name('The name of a profile.'), {
      description: 'The profile of each caller, by the name of its token.',
    }),
  ),
});
export type ProfileSet = Frozen<Static<typeof ProfileSet>>;

/** What `profile.schema.json` says of a profile file; draft 7, which every editor knows. */
export const ProfileFile = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Gatehouse policy profile',
  if: { required: ['profiles'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, and no promise.
  then: ProfileSet,
  else: ProfileSource,
};
