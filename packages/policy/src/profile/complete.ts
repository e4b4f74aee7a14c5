import { type Profile, ProfileSource, type Violation } from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/contracts/validation';
import { findCurrency } from '../money.ts';
import { InvalidProfile } from './compile.ts';
import { contradictionsIn } from './contradictions.ts';
import { defaultProfile } from './default.ts';

const validate = compileValidator(ProfileSource);

/** Adds the default value of each missing member to a profile. @throws InvalidProfile */
export function completeProfile(source: ProfileSource): Profile {
  const checked = validate(source);
  if (!checked.ok) throw new InvalidProfile(checked.violations);
  const { version, pii, legal, connector } = defaultProfile;
  const profile: Profile = {
    name: source.name,
    version: source.version ?? version,
    spend: completeSpend(source.spend ?? {}),
    pii: { ...pii, ...source.pii, categories: { ...pii.categories, ...source.pii?.categories } },
    legal: { ...legal, ...source.legal, flags: { ...legal.flags, ...source.legal?.flags } },
    connector: { ...connector, ...source.connector },
  };
  const violations = contradictionsIn(profile).map((each) => withDefaultHint(each, source));
  if (violations.length > 0) throw new InvalidProfile(violations);
  return profile;
}

/** Adds a hint to the message if the invalid value is a default rather than a value in `source`. */
function withDefaultHint({ pointer, message }: Violation, source: ProfileSource): Violation {
  let value: unknown = source;
  for (const member of pointer.split('/').slice(1)) value = Object(value)[member];
  const hint = value === undefined ? '; the profile omits this member, so its default applies' : '';
  return { pointer, message: `${message}${hint}` };
}

/** Adds missing limits. By default, a request can set its own limit up to the profile's ceiling. */
function completeSpend(source: NonNullable<ProfileSource['spend']>): Profile['spend'] {
  const spend = { ...defaultProfile.spend, ...source };
  const most = source.max_user_limit_major_units;
  const currencies = Object.entries(source.currencies ?? {}).map(([code, own = {}]) => {
    const unit = findCurrency(code)?.minorPerMajor ?? 1;
    const ceiling = own.ceiling_minor_units ?? spend.ceiling_major_units * unit;
    const limits = {
      limit_minor_units: own.limit_minor_units ?? spend.limit_major_units * unit,
      ceiling_minor_units: ceiling,
      max_user_limit_minor_units:
        own.max_user_limit_minor_units ?? (most === undefined ? ceiling : most * unit),
    };
    return [code, limits] as const;
  });
  return {
    ...spend,
    max_user_limit_major_units: most ?? spend.ceiling_major_units,
    currencies: Object.fromEntries(currencies),
  };
}
