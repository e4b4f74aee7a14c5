import { compileProfile, formatMoney, limitsOf, type Profile } from '@gatehouse/policy-engine';
import { type Profiles, profileFor } from '@gatehouse/policy-profile';
import { EXIT } from '../exit.ts';
import { checkCaller, profilesIn } from '../input.ts';
import { type Output, painted, strong } from '../output.ts';

/** `gatehouse show`: every profile of a file, or that of one caller, defaults included. */
export function show(output: Output, file: string, options: { readonly caller?: string }): number {
  const profiles = profilesIn(file);
  checkCaller(options.caller, profiles);
  const shown =
    options.caller === undefined ? profiles.all : [profileFor(profiles, options.caller)];
  output.write(
    shown.map((profile) => ({ profile, digest: digestOf(profile) })),
    () => shown.map((profile) => textOf(profile, profiles, output)).join('\n\n'),
  );
  return EXIT.fine;
}

const digestOf = (profile: Profile): string => compileProfile(profile).digest;

function textOf(profile: Profile, profiles: Profiles, output: Output): string {
  const { name, version, pii, legal, connector } = profile;
  const callers = [...profiles.callers].filter(([, each]) => each === profile).map(([who]) => who);
  if (profiles.default === profile) callers.push('everyone else');
  const outcomes = [
    ...Object.entries({ ...pii.categories, '(no section)': pii.missing }).map(rowOf('pii')),
    ...Object.entries({ ...legal.flags, '(no section)': legal.missing }).map(rowOf('legal')),
    ['spend', '(no section)', painted(profile.spend.missing)],
    ...(['deny', 'require_approval', 'allow'] as const).flatMap((outcome) =>
      connector[outcome].map((scope) => ['connector', scope, painted(outcome)]),
    ),
    ['connector', '(any other)', painted(connector.unlisted)],
    ['connector', '(no section)', painted(connector.missing)],
  ];
  return [
    `${strong(name)} version ${version}, for ${callers.join(', ')}`,
    `digest ${digestOf(profile)}`,
    '',
    output.table(
      ['currency', 'allowed up to', 'callers may raise it to', 'denied above'],
      limits(profile),
    ),
    '',
    output.table(['section', 'what', 'outcome'], outcomes),
  ].join('\n');
}

const rowOf =
  (section: string) =>
  ([what, outcome]: [string, string]): string[] => [section, what, painted(outcome)];

function limits({ spend, ...profile }: Profile): string[][] {
  const { limit_major_units, ceiling_major_units, max_user_limit_major_units } = spend;
  const most = max_user_limit_major_units || limit_major_units;
  const own = Object.keys(spend.currencies).map((code) => {
    const found = limitsOf({ spend, ...profile }, code);
    if (found === undefined) return [code];
    const { limit, ceiling, maxUserLimit, currency } = found;
    const amounts = [limit, Math.min(maxUserLimit, ceiling), ceiling];
    return [code, ...amounts.map((amount) => formatMoney(amount, currency))];
  });
  const rest = [limit_major_units, Math.min(most, ceiling_major_units), ceiling_major_units];
  return [
    ...own,
    [own.length > 0 ? 'any other' : 'any', ...rest.map((amount) => `${amount} major units`)],
  ];
}
