import { compileProfile, type Profile, RULE_TABLE, showActions } from '@gatehouse/policy';
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
  const { name, version } = profile;
  const isAlone = profiles.all.length === 1;
  const callers = [...profiles.callers].filter(([, each]) => each === profile).map(([who]) => who);
  if (profiles.default === profile) callers.push('everyone else');
  const limits = RULE_TABLE.flatMap(({ section, limits }) => limits?.show(profile[section]) ?? []);
  const sections = RULE_TABLE.flatMap(({ section, show }) =>
    [...show(profile[section]), ['(no section)', profile[section].missing] as const].map(
      (shown) => [section, ...shown] as const,
    ),
  );
  const actions = profile.actions === undefined ? [] : showActions(profile.actions);
  const outcomes = [...sections, ...actions.map((shown) => ['actions', ...shown] as const)];
  return [
    `${strong(name)} version ${version}${isAlone ? '' : `, for ${callers.join(', ')}`}`,
    `digest ${digestOf(profile)}`,
    '',
    table(['currency', 'allowed up to', 'highest user limit', 'denied above'], limits),
    '',
    table(
      ['section', 'what', 'outcome'],
      outcomes.map(([section, what, outcome]) => [section, what, painted(outcome)]),
    ),
  ].join('\n');
}
