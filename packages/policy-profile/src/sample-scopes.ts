import type { Profile } from '@gatehouse/policy-engine';

interface SampleScope {
  readonly scope: string;
  /** The scopes that it stands for. */
  readonly shown: string;
}

const NAME_CHARS = 'abcdefghijklmnopqrstuvwxyz0123456789._-';

const ANY = 'mcp://';

/**
 * One scope of each kind that the lists of two profiles could judge differently: none, each
 * listed one, each beginning with a name that no longer entry begins with, and any other.
 */
export function sampleScopes(...profiles: readonly Profile[]): SampleScope[] {
  const entries = [...new Set(profiles.flatMap(({ connector }) => entriesOf(connector)))];
  const listed = entries.map((entry) => entry.replace('*', ''));
  const exact = [...new Set(listed)].filter((scope) => scope !== ANY);
  const beginnings = entries.filter((entry) => entry.endsWith('*') && entry !== `${ANY}*`);
  return [
    { scope: '', shown: 'without a scope' },
    ...exact.map((scope) => ({ scope, shown: scope })),
    ...beginnings.flatMap((entry) => continued(entry.slice(0, -1), listed, entry)),
    ...continued(ANY, listed, 'any other scope'),
  ];
}

/** A longer name that begins with no other entry; none if there is no such. */
function continued(beginning: string, listed: readonly string[], shown: string): SampleScope[] {
  const isFree = (char: string) => !listed.some((other) => other.startsWith(beginning + char));
  const next = [...NAME_CHARS].find(isFree);
  return next === undefined ? [] : [{ scope: beginning + next, shown }];
}

function entriesOf({ deny, require_approval, allow }: Profile['connector']): string[] {
  return [...deny, ...require_approval, ...allow].map((entry) => entry.toLowerCase());
}
