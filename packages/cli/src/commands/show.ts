import type { Decision } from '@gatehouse/contracts';
import { compileProfile, formatMoney, limitsOf, type Profile } from '@gatehouse/policy';
import { type Profiles, profileFor } from '@gatehouse/policy/files';
import { checkCaller, loadProfiles } from '../input.ts';
import { EXIT, painted, strong, table, type Write } from '../output.ts';

export function show(write: Write, file: string, { caller }: { readonly caller?: string }): number {
  const profiles = loadProfiles(file);
  checkCaller(caller, [profiles]);
  const shown = caller === undefined ? profiles.all : [profileFor(profiles, caller)];
  write(
    shown.map((profile) => ({ profile, digest: digestOf(profile) })),
    () => shown.map((profile) => profileText(profile, profiles)).join('\n\n'),
  );
  return EXIT.fine;
}

const digestOf = (profile: Profile): string => compileProfile(profile).digest;

function profileText(profile: Profile, profiles: Profiles): string {
  const { name, version, spend, pii, legal, connector } = profile;
  const callers = [...profiles.callers].filter(([, each]) => each === profile).map(([who]) => who);
  if (profiles.default === profile) callers.push('everyone else');
  const outcomes = [
    ...rowsOf('pii', { ...pii.categories, '(no section)': pii.missing }),
    ...rowsOf('legal', { ...legal.flags, '(no section)': legal.missing }),
    ...rowsOf('spend', { '(no section)': spend.missing }),
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
    table(LIMITS, limitRows(profile)),
    '',
    table(['section', 'what', 'outcome'], outcomes),
  ].join('\n');
}

const LIMITS = ['currency', 'allowed up to', 'highest user limit', 'denied above'];

const rowsOf = (section: string, outcomes: Readonly<Record<string, Decision>>) =>
  Object.entries(outcomes).map(([what, outcome]) => [section, what, painted(outcome)]);

function limitRows({ spend, ...profile }: Profile): string[][] {
  const { limit_major_units, ceiling_major_units, max_user_limit_major_units } = spend;
  const most = max_user_limit_major_units || limit_major_units;
  const own = Object.keys(spend.currencies).map((code) => {
    const found = limitsOf({ spend, ...profile }, code);
    if (found === undefined) return [code];
    const { limit, ceiling, maxUserLimit, currency } = found;
    const amounts = [limit, maxUserLimit, ceiling];
    return [code, ...amounts.map((amount) => formatMoney(amount, currency))];
  });
  const rest = [limit_major_units, most, ceiling_major_units];
  const label = own.length > 0 ? 'any other' : 'any';
  return [...own, [label, ...rest.map((amount) => `${amount} major units`)]];
}
