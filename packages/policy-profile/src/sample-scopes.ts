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
 * listed one, for each beginning one that is neither listed nor has a longer one, and any other.
 */
export function sampleScopes(...profiles: readonly Profile[]): SampleScope[] {
  const entries = [...new Set(profiles.flatMap(({ connector }) => entriesOf(connector)))];
  const listed = entries.map((entry) => entry.replace('*', ''));
  const exact = [...new Set(listed)].filter((scope) => scope !== ANY);
  const beginnings = entries.filter((entry) => entry.endsWith('*') && entry !== `${ANY}*`);
  return [
    { scope: '', shown: 'without a scope' },
    ...exact.map((scope) => ({ scope, shown: scope })),
    ...beginnings.map((entry) => continued(entry.slice(0, -1), new Set(entries), entry)),
    continued(ANY, new Set(entries), 'any other scope'),
  ];
}

/** The shortest longer name that is not listed; where all are, one that no entry can list. */
function continued(beginning: string, entries: ReadonlySet<string>, shown: string): SampleScope {
  const listed = [beginning];
  for (const name of listed) {
    for (const char of NAME_CHARS) {
      const scope = name + char;
      if (entries.has(`${scope}*`)) continue;
      if (!entries.has(scope)) return { scope, shown };
      listed.push(scope);
    }
  }
  return { scope: `${beginning}~`, shown };
}

function entriesOf({ deny, require_approval, allow }: Profile['connector']): string[] {
  return [...deny, ...require_approval, ...allow].map((entry) => entry.toLowerCase());
}
