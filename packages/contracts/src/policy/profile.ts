import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Name, NameMap, Strict, StrictTitled, Text } from '../schema.ts';
import { ActionsProfile } from './http-action.ts';
import { sectionsOf } from './rule-parts.ts';

/** Parameters of the policy rules (`policy-service.md` sections 4 and 8). */
export const Profile = StrictTitled('Profile', {
  name: Name('Name of the profile, shown in log lines, metrics and explanations.'),
  version: Type.String({
    pattern: '^[\\x21-\\x7e]{1,64}$',
    'x-violation': 'must be a string of 1 to 64 visible ASCII characters; put numbers in quotes',
    description: "Version that the profile's author chooses, with no effect on decisions.",
  }),
  ...sectionsOf('profile'),
  actions: Type.Optional(ActionsProfile),
});
export type Profile = Frozen<Static<typeof Profile>>;

type Frozen<T> = { readonly [K in keyof T]: Frozen<T[K]> };
type Partly<T> = T extends readonly unknown[] | string | number
  ? T
  : { readonly [K in keyof T]?: Partly<T[K]> };

export type ProfileSource = Partly<Profile> & Pick<Profile, 'name'>;
export const ProfileSource = Type.Unsafe<ProfileSource>({
  ...optionalProfileMembers(Profile),
  required: ['name'],
});

function optionalProfileMembers({ required: _, ...schema }: TSchema): TSchema {
  for (const members of ['properties', 'patternProperties']) {
    if (schema[members] === undefined) continue;
    const each = Object.entries<TSchema>(schema[members]);
    schema[members] = Object.fromEntries(
      each.map(([key, member]) => [key, optionalProfileMembers(member)]),
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
