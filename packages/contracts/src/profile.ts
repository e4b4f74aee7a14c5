import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { LEGAL_FLAGS, minorUnits, PII_CATEGORIES } from './check.ts';
import { Decision } from './decision.ts';
import { OneOf, Strict, StrictTitled, Text } from './schema.ts';

/** Stays a safe integer in minor units, because currencies have up to 4 digits after the point. */
const MAX_MAJOR_UNITS = Math.floor(Number.MAX_SAFE_INTEGER / 10_000);

const MAX_SCOPES = 200;
const MAX_PROFILES = 100;

const majorUnits = (description: string) =>
  Type.Integer({ minimum: 0, maximum: MAX_MAJOR_UNITS, description });

/** Excludes `allow`, because leaving out a section must never help a request. */
const missing = (section: string) =>
  OneOf(['require_approval', 'deny'], `Outcome of a request without a \`${section}\` section.`);

const byLabel = <const L extends string>(labels: readonly L[], description: string) =>
  Strict(
    Object.fromEntries(labels.map((label) => [label, Decision])) as Record<L, typeof Decision>,
    {
      description,
    },
  );

/** Map with keys that match `pattern`; `unknown` is the violation of any other key. */
const patternMap = <T extends TSchema>(
  pattern: string,
  unknown: string,
  values: T,
  about: object,
) =>
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
    limit_minor_units: minorUnits('Like `limit_major_units`, for this currency.'),
    ceiling_minor_units: minorUnits('Like `ceiling_major_units`, for this currency.'),
    max_user_limit_minor_units: minorUnits('Like `max_user_limit_major_units`, for this currency.'),
  }),
  minProperties: 1,
  'x-violation':
    'must set at least one of limit_minor_units, ceiling_minor_units and max_user_limit_minor_units',
};

/** Parameters of the rules, as plain JSON (`policy-service.md` sections 4 and 8). */
export const Profile = StrictTitled('Profile', {
  name: Name('Shown in log lines, metrics and explanations.'),
  version: Type.String({
    pattern: '^[\\x21-\\x7e]{1,64}$',
    'x-violation': 'must be 1 to 64 visible ASCII characters, in quotes if it is a number',
    description: 'Chosen by the author of the profile; never changes a decision.',
  }),
  spend: StrictTitled('SpendProfile', {
    limit_major_units: majorUnits(
      'Amounts up to this one are allowed, unless the request names a limit of its own.',
    ),
    ceiling_major_units: majorUnits('Amounts above this one are always denied.'),
    max_user_limit_major_units: majorUnits(
      'Greatest limit that `user_limit_minor_units` can set; 0 means that callers cannot raise the limit.',
    ),
    currencies: patternMap(
      '^[A-Z]{3}$',
      'must be an ISO 4217 code, such as `EUR`',
      currencyLimits,
      {
        description:
          'Different limits for some currencies; a limit that is not set is derived from the ones above.',
      },
    ),
    missing: missing('spend'),
  }),
  pii: StrictTitled('PiiProfile', {
    categories: byLabel(PII_CATEGORIES, 'Outcome of each category; the strictest decides.'),
    missing: missing('pii'),
  }),
  legal: StrictTitled('LegalProfile', {
    flags: byLabel(LEGAL_FLAGS, 'Outcome of each flag; the strictest decides.'),
    missing: missing('legal'),
  }),
  connector: StrictTitled('ConnectorProfile', {
    deny: scopes('Checked first: these scopes are denied, whatever follows the name.'),
    require_approval: scopes('Checked next: exactly these scopes need approval.'),
    allow: scopes('Checked last: exactly these scopes are allowed.'),
    unlisted: OneOf(
      ['require_approval', 'deny'],
      'Outcome of any other scope, and of a connector without a scope.',
    ),
    missing: OneOf(
      ['no_entry', 'require_approval', 'deny'],
      'Outcome of a request without a `connector` section; with `no_entry` the response has no entry for the rule.',
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
  default: Name('Name of the profile for callers that `callers` does not list.'),
  profiles: Type.Array(ProfileSource, { minItems: 1, maxItems: MAX_PROFILES }),
  callers: Type.Optional(
    patternMap(NAME, NAME_VIOLATION, Name('Name of a profile.'), {
      description: 'Profile of each caller, by the name of its token.',
    }),
  ),
});
export type ProfileSet = Frozen<Static<typeof ProfileSet>>;

/** Contents of `profile.schema.json`, in draft 7 because every editor supports it. */
export const ProfileFile = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Gatehouse policy profile',
  if: { required: ['profiles'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, not a promise.
  then: ProfileSet,
  else: ProfileSource,
};
