import type { Profile } from '@gatehouse/contracts';
import {
  type Answer,
  type Facts,
  keptAnswer,
  type Reason,
  type Rule,
  type RuleReason,
  reasonOf,
} from '../rule.ts';
import { scopePatterns } from './scope-patterns.ts';

const RULE = 'connector_scope';

const SHOWN_LENGTH = 128;
const NO_SECTION = 'No connector section: what is connected to is unknown.';

const DENIED = reasonOf(RULE, 'deny', 'scope_denied');
const NEEDS_APPROVAL = reasonOf(RULE, 'require_approval', 'scope_needs_approval');
const ALLOWED = reasonOf(RULE, 'allow', 'scope_allowed');

/**
 * The connector guardrail (spec section 4), in this order:
 * 1. no section: no entry, or what the profile says;
 * 2. no scope, or a blank one: what the profile says of unlisted scopes;
 * 3. otherwise the lists of the profile decide.
 */
export function connectorScope({ connector: profile }: Profile): Rule {
  const { unlisted, missing } = profile;
  const absent =
    missing === 'no_entry'
      ? undefined
      : keptAnswer(reasonOf(RULE, missing, 'section_missing'), NO_SECTION);
  const noScope = reasonOf(RULE, unlisted, 'scope_missing');
  const judgeScope = scopeJudge(profile);
  const answerTo = remembering((written) => {
    const scope = written.trim();
    const reason = scope === '' ? noScope : judgeScope(scope);
    const section = { connector: { scope: recordedScope(scope) } };
    return keptAnswer(reason, detailOf(reason, scope), section);
  });
  return {
    answer: ({ connector }) => (connector == null ? absent : answerTo(connector.scope ?? '')),
    explain: ({ connector }, reason) =>
      explainScope(connector?.scope?.trim() ?? '', reason, profile.allow),
  };
}

/** Agents ask for few scopes; longer ones are not kept. */
const MOST_KEPT = 256;
const MOST_KEPT_CHARS = 128;

/** Gives the same answer to the same scope, and keeps few of them. */
function remembering(make: (scope: string) => Answer): (scope: string) => Answer {
  const kept = new Map<string, Answer>();
  return (scope) => {
    if (scope.length > MOST_KEPT_CHARS) return make(scope);
    const known = kept.get(scope);
    if (known !== undefined) return known;
    if (kept.size === MOST_KEPT) kept.clear();
    const answer = make(scope);
    kept.set(scope, answer);
    return answer;
  };
}

/**
 * Judges scopes (contract section 2), in this order:
 * 1. a denied name, then one of `/ ? # : @` or the end: deny;
 * 2. exactly a scope that needs approval: require_approval;
 * 3. exactly an allowed scope: allow;
 * 4. anything else: as unlisted, which is never allow.
 */
function scopeJudge(profile: Profile['connector']): (scope: string) => RuleReason {
  const patterns = scopePatterns(profile);
  const unknown = reasonOf(RULE, profile.unlisted, 'scope_unknown');
  return (scope) => {
    if (patterns.deny.test(scope)) return DENIED;
    if (patterns.requireApproval.test(scope)) return NEEDS_APPROVAL;
    return patterns.allow.test(scope) ? ALLOWED : unknown;
  };
}

const VERDICTS = {
  allow: 'is allowed',
  require_approval: 'needs consent',
  deny: 'is sensitive and denied',
};
const UNLISTED = { allow: '', require_approval: 'needs consent', deny: 'is denied' };

function detailOf({ outcome, code }: Reason, scope: string): string {
  if (code === 'scope_missing') return `The connector names no scope and ${UNLISTED[outcome]}.`;
  const unlisted = code === 'scope_unknown';
  const verdict = unlisted ? `is not a listed one and ${UNLISTED[outcome]}` : VERDICTS[outcome];
  return `Scope ${printableScope(scope)} ${verdict}.`;
}

/** Shortened, and well-formed: strict readers refuse half of a surrogate pair. */
function printableScope(scope: string): string {
  return (scope.length > SHOWN_LENGTH ? `${scope.slice(0, SHOWN_LENGTH)}…` : scope).toWellFormed();
}

const MOST_SCOPE_CHARS = 256;

/** The scheme and the name, and what follows them. */
const SCOPE = /^((?:mcp:\/\/)?[^/?#:@]*)(.)?/is;

/** What follows the name may be a secret and changes no outcome, unless it is nothing. */
function recordedScope(scope: string): string | undefined {
  if (scope === '') return undefined;
  const [, name = '', next = ''] = SCOPE.exec(scope.slice(0, MOST_SCOPE_CHARS)) ?? [];
  const cut = next !== '' || scope.length > MOST_SCOPE_CHARS;
  return (cut ? `${name}${next}…` : name).toWellFormed();
}

/** An explanation lists at most this many scopes. */
const MOST_SCOPES = 20;

function explainScope(scope: string, reason: Reason, allow: readonly string[]): Facts {
  if (reason.code === 'section_missing') return {};
  const facts = scope === '' ? {} : { scope: printableScope(scope) };
  const exact = allow.filter((entry) => !entry.endsWith('*')).slice(0, MOST_SCOPES);
  if (reason.outcome === 'allow' || exact.length === 0) return facts;
  return { ...facts, remedy: { use_scopes: exact } };
}
