import { type Static, Type } from '@sinclair/typebox';
import { Outcome } from './policy.ts';
import { OneOf, Strict, StringMap } from './schema.ts';

/** Safe in minor units of every currency; they have up to 4 digits. */
const MAX_MAJOR_UNITS = Math.floor(Number.MAX_SAFE_INTEGER / 10_000);

const majorUnits = (description: string) =>
  Type.Integer({ minimum: 0, maximum: MAX_MAJOR_UNITS, description });

const labels = (noun: string) =>
  Strict({
    outcomes: StringMap(Outcome, `The outcome of each ${noun}.`),
    unknown: OneOf(['require_approval', 'deny'], `The outcome of any other ${noun}.`),
  });

const scopes = (description: string) => {
  const violation = 'must be the `<name>` of `mcp://<name>`: letters, digits, `.`, `_` and `-`';
  const name = Type.String({ pattern: '^[A-Za-z0-9._-]+$', 'x-violation': violation });
  return Type.Array(name, { description });
};

/** What the rules judge by: plain JSON. */
export const Profile = Strict({
  spend: Strict({
    autoAllowMajorUnits: majorUnits(
      'Amounts up to this one are allowed, unless the request names a limit of its own.',
    ),
    ceilingMajorUnits: majorUnits(
      'Amounts above this one are denied, whatever the limit; at least the limit.',
    ),
  }),
  piiCategories: labels('category'),
  legalFlags: labels('flag'),
  connectorScopes: Strict({
    allowed: scopes('Allowed as exactly `mcp://<name>`.'),
    denied: scopes('Denied, whatever follows the name. Any scope in no list needs approval.'),
  }),
});
export type Profile = Frozen<Static<typeof Profile>>;

type Frozen<T> = { readonly [K in keyof T]: Frozen<T[K]> };
