import type { Profiles } from '@gatehouse/policy/files';
import type { ApiToken, Environment, Values } from '@gatehouse/service';

interface BindingSettings {
  readonly POLICY_APPROVER_TOKENS?: readonly ApiToken[] | undefined;
  readonly POLICY_APPROVER_TOKENS_FILE?: readonly ApiToken[] | undefined;
  readonly POLICY_SIGNING_KEY_FILE?: object | undefined;
  readonly POLICY_PROFILE_FILE?: { readonly profiles: Profiles } | undefined;
}

const APPROVER_SETTINGS = ['POLICY_APPROVER_TOKENS', 'POLICY_APPROVER_TOKENS_FILE'] as const;
const CALLER_SETTINGS = [
  ...['POLICY_API_TOKENS', 'POLICY_API_TOKENS_FILE'],
  ...['POLICY_METRICS_TOKEN', 'POLICY_METRICS_TOKEN_FILE'],
];

export function approversIn(settings: BindingSettings): readonly ApiToken[] {
  return APPROVER_SETTINGS.flatMap((name) => settings[name] ?? []);
}

/** Returns messages about approver tokens that must not be used, keyed by setting. */
export function approverConflicts(env: Environment, valid: Values): Record<string, string> {
  const conflicts: Record<string, string> = {};
  const callers = CALLER_SETTINGS.flatMap((name) => (valid[name] ?? []) as ApiToken[]);
  const seen = new Set<string>();
  for (const name of APPROVER_SETTINGS) {
    const own = (valid[name] ?? []) as ApiToken[];
    const message = approverMistake(own, callers, seen);
    if (message !== undefined) conflicts[name] = message;
    else if (own.length > 0 && env.POLICY_SIGNING_KEY_FILE === undefined)
      conflicts[name] = 'needs POLICY_SIGNING_KEY_FILE as well';
  }
  return conflicts;
}

/** Says what is wrong with the approver tokens of a setting. Adds them to `seen`. */
function approverMistake(
  own: readonly ApiToken[],
  callers: readonly ApiToken[],
  seen: Set<string>,
): string | undefined {
  for (const { text, caller } of own) {
    if (caller === undefined) return 'must give each approver a name, as in `alice:token`';

    if (callers.some((each) => each.text === text || each.caller === caller))
      return 'must not contain a name or token that is also in a setting for callers or metrics';

    if (seen.has(text) || seen.has(caller)) return 'must give each approver one name and one token';
    seen.add(text).add(caller);
  }
  return undefined;
}

/** Warns if rules on actions and a signing key do not come together. */
export function bindingWarnings(settings: BindingSettings): string[] {
  const profiles = settings.POLICY_PROFILE_FILE?.profiles.all ?? [];
  const hasActions = profiles.some((profile) => 'actions' in profile && profile.actions);
  const signs = settings.POLICY_SIGNING_KEY_FILE !== undefined;
  if (hasActions && !signs)
    return [
      'the profile has rules on actions, but POLICY_SIGNING_KEY_FILE is not set, so no executor can tell which actions were allowed',
    ];
  if (!hasActions && signs)
    return [
      'POLICY_SIGNING_KEY_FILE is set, but no profile has `actions`, so what an action spends is only what its caller says',
    ];
  return [];
}
