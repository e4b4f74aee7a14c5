import {
  type CheckRequest,
  type CheckResponse,
  LEGAL_FLAGS,
  type LegalFlag,
  type Outcome,
  PII_CATEGORIES,
  type PiiCategory,
  type RuleName,
} from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import type { Judgement } from './evaluate.ts';
import { defaultProfile } from './profile/default.ts';
import type { Reason } from './rule.ts';

/** A decision as a log keeps it: all that was judged, but amounts and the ends of scopes. */
export type DecisionRecord = {
  /** The `request_id` of the check. */
  readonly caller_request_id: string | undefined;
  /** The name and the digest of the profile. */
  readonly profile: string;
  readonly digest: string;
  readonly decision: Outcome;
  readonly rules: Readonly<Partial<Record<RuleName, Reason>>>;
  readonly pii: { readonly categories: readonly PiiCategory[] } | undefined;
  readonly legal: { readonly flags: readonly LegalFlag[] } | undefined;
  readonly connector: { readonly scope: string | undefined } | undefined;
};

/**
 * The record of a decision, which the policy service logs, too. Judged again under the
 * same profile, its sections get the same outcomes.
 * @throws InvalidProfile
 */
export function decisionRecord(
  request: CheckRequest,
  response: Pick<CheckResponse, 'decision'>,
  profile = defaultProfile,
): DecisionRecord {
  const { rules, digest } = compileProfile(profile);
  const { request_id, pii, legal, connector } = request;
  const reasons: Partial<Record<RuleName, Reason>> = {};
  for (const rule of rules) {
    const reason = rule.judge(request);
    if (reason !== undefined) reasons[rule.rule] = { outcome: reason.outcome, code: reason.code };
  }
  // Members of absent sections are undefined, which JSON leaves out.
  return {
    caller_request_id: request_id ?? undefined,
    profile: profile.name,
    digest,
    decision: response.decision,
    rules: reasons,
    pii: pii == null ? undefined : { categories: distinct(pii.categories) },
    legal: legal == null ? undefined : { flags: distinct(legal.flags) },
    connector: connector == null ? undefined : { scope: recordedScope(connector.scope) },
  };
}

/**
 * The members of `decisionRecord` in JSON, without braces, for a log line of every request;
 * unless `named`, without the profile and its digest.
 * @throws InvalidProfile
 */
export function decisionRecordMembers(
  request: CheckRequest,
  { response, reasons }: Judgement,
  profile = defaultProfile,
  named = true,
): string {
  const { request_id, pii, legal, connector } = request;
  let text = request_id == null ? '' : `"caller_request_id":${JSON.stringify(request_id)},`;
  if (named) text += compileProfile(profile).recordHead;
  text += `"decision":"${response.decision}","rules":{${reasons}}`;
  if (pii != null) text += `,"pii":{"categories":${listed(pii.categories)}}`;
  if (legal != null) text += `,"legal":{"flags":${listed(legal.flags)}}`;
  if (connector != null) text += `,"connector":${connectorOf(connector)}`;
  return text;
}

/** As JSON; labels of the contract need no escaping. */
function listed(labels: readonly string[]): string {
  let text = '';
  for (const label of labels) {
    if (!LABELS.has(label)) return JSON.stringify(distinct(labels));
    const quoted = `"${label}"`;
    if (text === '') text = quoted;
    else if (!text.includes(quoted)) text += `,${quoted}`;
  }
  return `[${text}]`;
}

const LABELS: ReadonlySet<string> = new Set([...PII_CATEGORIES, ...LEGAL_FLAGS]);

const distinct = <T>(labels: readonly T[]): readonly T[] =>
  labels.length < 2 ? labels : [...new Set(labels)];

const MOST_SCOPE_CHARS = 256;

/** As JSON; most scopes need no escaping. */
function connectorOf({ scope }: { readonly scope?: string | null }): string {
  if (typeof scope === 'string' && PLAIN_SCOPE.test(scope)) return `{"scope":"${scope}"}`;
  return JSON.stringify({ scope: recordedScope(scope) });
}

const PLAIN_SCOPE = /^mcp:\/\/[a-z0-9._-]{1,200}$/;

/** The scheme and the name, and what follows them. */
const SCOPE = /^((?:mcp:\/\/)?[^/?#:@]*)(.)?/is;

/** What follows the name may be a secret and changes no outcome, unless it is nothing. */
function recordedScope(scope: string | null | undefined): string | undefined {
  const trimmed = scope?.trim() ?? '';
  if (trimmed === '') return undefined;
  const [, name = '', next = ''] = SCOPE.exec(trimmed.slice(0, MOST_SCOPE_CHARS)) ?? [];
  const cut = next !== '' || trimmed.length > MOST_SCOPE_CHARS;
  return (cut ? `${name}${next}…` : name).toWellFormed();
}
