import type { Decision, Profile, Violation } from '@gatehouse/contracts';
import type { Claims, Comparison, Explained, Rule, RuleResult } from './rule.ts';

type Settings = Profile['connector'];

const DEFAULTS: Settings = {
  deny: ['mcp://root', 'mcp://secrets', 'mcp://admin'],
  require_approval: [],
  allow: [
    'mcp://calendar',
    'mcp://crm',
    'mcp://email',
    'mcp://files',
    'mcp://support',
    'mcp://tasks',
  ],
  unlisted: 'require_approval',
  missing: 'no_entry',
};

export const connectorScope: Rule<'connector'> = {
  complete: (own) => ({ ...DEFAULTS, ...own }),
  contradictions: unreachableScopes,
  missing: 'The request has no connector section, so the connector is unknown.',
  compile: compileScopes,
  allows: allowedScopes,
  record: recordedConnector,
  show: (settings) => [
    ...LISTS.flatMap((list) => settings[list].map((scope) => [scope, list] as const)),
    ['(any other)', settings.unlisted],
  ],
  compare: compareScopes,
};

const UNLISTED = { require_approval: 'needs consent', deny: 'is denied' };

/**
 * Applies the first case that fits (`policy-service.md` section 4):
 * 1. A missing or blank scope gets the profile's outcome for unlisted scopes.
 * 2. Any other scope gets the outcome that `matchScope` finds.
 */
function compileScopes(settings: Settings) {
  const { unlisted, allow } = settings;
  const lists: ScopeLists = {
    deny: settings.deny.map(lowerAscii),
    require_approval: settings.require_approval.map(lowerAscii),
    allow: allow.map(lowerAscii),
  };
  return (connector: Claims<'connector'>): RuleResult => {
    const scope = (connector.scope ?? '').trim();
    if (scope === '') {
      const detail = `The connector has no scope and ${UNLISTED[unlisted]}.`;
      const facts = scopeRemedy(unlisted, allow);
      return { outcome: unlisted, code: 'scope_missing', detail, facts };
    }

    const shown = printableScope(scope);
    const { outcome, code, verdict } = matchScope(scope, lists, unlisted);
    const facts = { scope: shown, ...scopeRemedy(outcome, allow) };
    return { outcome, code, detail: `Scope ${shown} ${verdict}.`, facts };
  };
}

/** Names of the scope lists, starting with the list that is checked first. */
const LISTS = ['deny', 'require_approval', 'allow'] as const;
type ScopeLists = Readonly<Record<(typeof LISTS)[number], readonly string[]>>;

/**
 * Returns the outcome of the first case that applies (docs/contract.md, "Connector scope"):
 * 1. the scope's name (the part before any `/`, `?`, `#`, `:` or `@`) is on the deny list: deny;
 * 2. the whole scope is on the approval list: require_approval;
 * 3. the whole scope is on the allow list: allow;
 * 4. any other scope: the profile's outcome for unlisted scopes (require_approval or deny).
 */
function matchScope(
  scope: string,
  lists: ScopeLists,
  unlisted: Settings['unlisted'],
): Pick<RuleResult, 'outcome' | 'code'> & { readonly verdict: string } {
  const lower = lowerAscii(scope);
  const [name = ''] = /^mcp:\/\/[^/?#:@]*/.exec(lower) ?? [];
  if (lists.deny.some((entry) => entryMatches(entry, name)))
    return { outcome: 'deny', code: 'scope_denied', verdict: 'is sensitive and denied' };

  // Let the list entry `mcp://a*` match the scope `mcp://ab`, but not `mcp://a/b` or `mcp://a?b`.
  const [exact = ''] = /^mcp:\/\/[a-z0-9._-]*$/.exec(lower) ?? [];
  if (lists.require_approval.some((entry) => entryMatches(entry, exact)))
    return { outcome: 'require_approval', code: 'scope_needs_approval', verdict: 'needs consent' };

  if (lists.allow.some((entry) => entryMatches(entry, exact)))
    return { outcome: 'allow', code: 'scope_allowed', verdict: 'is allowed' };

  const verdict = `is not on any list in the profile, so it ${UNLISTED[unlisted]}`;
  return { outcome: unlisted, code: 'scope_unknown', verdict };
}

/**
 * Converts only the letters A to Z to lower case. `toLowerCase` would also turn the Kelvin sign
 * `\u212a` into `k`, so `mcp://tas\u212as` would be allowed as `mcp://tasks`.
 */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** True if a list entry such as `mcp://a*` matches a scope. Expects lower-case arguments. */
function entryMatches(entry: string, scope: string): boolean {
  return entry.endsWith('*') ? scope.startsWith(entry.slice(0, -1)) : scope === entry;
}

const SHOWN_CHARS = 128;

/** Shortens a scope and replaces lone surrogates, which strict JSON parsers would refuse. */
function printableScope(scope: string): string {
  return (scope.length > SHOWN_CHARS ? `${scope.slice(0, SHOWN_CHARS)}…` : scope).toWellFormed();
}

const MAX_REMEDY_SCOPES = 20;

function scopeRemedy(outcome: Decision, allow: readonly string[]): RuleResult['facts'] {
  if (outcome === 'allow') return {};
  const exact = allow.filter((entry) => !entry.endsWith('*')).slice(0, MAX_REMEDY_SCOPES);
  return exact.length === 0 ? {} : { remedy: { use_scopes: exact } };
}

function allowedScopes({ remedy }: Explained): string | undefined {
  const scopes = remedy?.use_scopes ?? [];
  return scopes.length === 0
    ? undefined
    : `a connector with one of these scopes: ${scopes.join(', ')}`;
}

/** Finds list entries that never match, because an earlier entry matches the same scopes. */
function unreachableScopes(settings: Settings): Violation[] {
  const entries = LISTS.flatMap((list) =>
    settings[list].map((scope, index) => ({ list, index, scope: lowerAscii(scope) })),
  );
  return entries.flatMap(({ list, index, scope }, place) => {
    const first = entries.slice(0, place).find((earlier) => entryMatches(earlier.scope, scope));
    if (first === undefined) return [];
    const message = `never applies, because the entry \`${first.scope}\` in \`${first.list}\` matches first; remove one of the two entries`;
    return [{ pointer: `/${list}/${index}`, message }];
  });
}

const MAX_SCOPE_CHARS = 256;

/** Captures the name of a scope, such as `mcp://files`, and the character after the name. */
const SCOPE = /^((?:mcp:\/\/)?[^/?#:@\s]*)(.)?/is;

/**
 * Logs `mcp://files/token` as `mcp://files/…`, because the path could contain a secret. Keeps the
 * `/` after the name, because `mcp://files/` and `mcp://files` can get different outcomes. Cuts a
 * scope after 256 characters, so a longer scope may get a different outcome when it is replayed.
 */
function recordedConnector(connector: Claims<'connector'>): Claims<'connector'> {
  const scope = connector.scope?.trim() ?? '';
  if (scope === '') return {};
  const [, name = '', next = ''] = SCOPE.exec(scope.slice(0, MAX_SCOPE_CHARS)) ?? [];
  const cut = next !== '' || scope.length > MAX_SCOPE_CHARS;
  return { scope: (cut ? `${name}${next}…` : name).toWellFormed() };
}

/** Compares the outcomes of scopes. Omits `mcp://a/…` if `mcp://a` changed in the same way. */
function compareScopes(before: Settings, after: Settings): Comparison[] {
  const [old, now] = [compileScopes(before), compileScopes(after)];
  const compared = (scope: string, what: string) => {
    return { what, from: old({ scope }).outcome, to: now({ scope }).outcome };
  };
  return [...sampleScopes(before, after)].flatMap(([scope, shown]) => {
    const alone = compared(scope, shown);
    if (scope === '') return [alone];
    const longer = compared(`${scope}/`, `${shown}/…`);
    return alone.from === longer.from && alone.to === longer.to ? [alone] : [alone, longer];
  });
}

const NAME_CHARS = [...'abcdefghijklmnopqrstuvwxyz0123456789._-'];

/** Returns the scopes to evaluate under both profiles, and a text to show for each scope. */
function sampleScopes(...profiles: readonly Settings[]): ReadonlyMap<string, string> {
  const lists = profiles.flatMap((settings) => LISTS.flatMap((list) => settings[list]));
  const entries = [...new Set(lists.map((entry) => entry.toLowerCase()))];
  const unlisted = (prefix: string) => {
    const isFree = (char: string) => !entries.some((entry) => entry.startsWith(prefix + char));
    return `${prefix}${NAME_CHARS.find(isFree) ?? '~'}`;
  };
  const samples = new Map([['', 'without a scope']]);
  for (const entry of entries) {
    const scope = entry.replace('*', '');
    samples.set(scope, scope);
    if (entry.endsWith('*')) samples.set(unlisted(scope), entry);
  }
  return samples.set(unlisted('mcp://'), 'any other scope');
}
