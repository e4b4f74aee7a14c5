import { type Profile, ProfileSource, type Violation } from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/validation';
import { findCurrency } from '../money.ts';
import { InvalidProfile } from './compile.ts';
import { contradictionsIn } from './contradictions.ts';
import { defaultProfile } from './default.ts';

const validate = compileValidator(ProfileSource, {}, Number.POSITIVE_INFINITY);

/**
 * The whole of a profile that sets only some parts: the rest are the defaults of the
 * specification. Pointers of violations are those of the source.
 * @throws InvalidProfile
 */
export function completeProfile(source: ProfileSource): Profile {
  const checked = validate(source);
  if (!checked.ok) throw new InvalidProfile(checked.violations);
  const { version, pii, legal, connector } = defaultProfile;
  const profile: Profile = {
    name: source.name,
    version: source.version ?? version,
    spend: completeSpend(source.spend ?? {}),
    pii: {
      categories: { ...pii.categories, ...source.pii?.categories },
      missing: source.pii?.missing ?? pii.missing,
    },
    legal: {
      flags: { ...legal.flags, ...source.legal?.flags },
      missing: source.legal?.missing ?? legal.missing,
    },
    connector: { ...connector, ...source.connector },
  };
  const violations = contradictionsIn(profile).map((each) => withDefault(each, source));
  if (violations.length > 0) throw new InvalidProfile(violations);
  return profile;
}

/** A violation of what the profile does not set says so: nobody finds it in the file. */
function withDefault({ pointer, message }: Violation, source: ProfileSource): Violation {
  let value: unknown = source;
  for (const member of pointer.split('/').slice(1)) value = Object(value)[member];
  const hint = value === undefined ? '; it is not set, so its default counts' : '';
  return { pointer, message: `${message}${hint}` };
}

type SpendSource = NonNullable<ProfileSource['spend']>;

/** A ceiling moves the most that callers may raise their limit to, unless that is set. */
function completeSpend(source: SpendSource): Profile['spend'] {
  const { limit_major_units, ceiling_major_units, missing } = defaultProfile.spend;
  const ceiling = source.ceiling_major_units ?? ceiling_major_units;
  const own = Object.entries(source.currencies ?? {});
  return {
    limit_major_units: source.limit_major_units ?? limit_major_units,
    ceiling_major_units: ceiling,
    max_user_limit_major_units: source.max_user_limit_major_units ?? ceiling,
    currencies: Object.fromEntries(
      own.map(([code, limits]) => [code, completeCurrency(code, limits ?? {}, source)]),
    ),
    missing: source.missing ?? missing,
  };
}

type CurrencySource = NonNullable<NonNullable<SpendSource['currencies']>[string]>;

function completeCurrency(code: string, own: CurrencySource, spend: SpendSource) {
  const { limit_major_units, ceiling_major_units } = defaultProfile.spend;
  const unit = findCurrency(code)?.minorPerMajor ?? 1;
  const most = spend.max_user_limit_major_units;
  const ceiling =
    own.ceiling_minor_units ?? (spend.ceiling_major_units ?? ceiling_major_units) * unit;
  return {
    limit_minor_units:
      own.limit_minor_units ?? (spend.limit_major_units ?? limit_major_units) * unit,
    ceiling_minor_units: ceiling,
    max_user_limit_minor_units:
      own.max_user_limit_minor_units ?? (most === undefined ? ceiling : most * unit),
  };
}
