import type {
  CheckRequest,
  CheckResponse,
  LegalFlag,
  Outcome,
  PiiCategory,
  RuleName,
} from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import { type Judgement, judgePolicy } from './evaluate.ts';
import { defaultProfile } from './profile/default.ts';
import type { Reason } from './rule.ts';

/** A decision as a log keeps it: all that was judged, but amounts and the ends of scopes. */
export type DecisionRecord = {
  /** The `request_id` of the check. */
  readonly caller_request_id?: string;
  /** The name and the digest of the profile. */
  readonly profile: string;
  readonly digest: string;
  readonly decision: Outcome;
  readonly rules: Readonly<Partial<Record<RuleName, Reason>>>;
  readonly pii?: { readonly categories: readonly PiiCategory[] };
  readonly legal?: { readonly flags: readonly LegalFlag[] };
  readonly connector?: { readonly scope?: string };
};

/**
 * The record of a decision, which the policy service logs, too. Judged again under the
 * same profile, its sections get the same outcomes.
 * @throws InvalidProfile
 */
export function decisionRecord(
  request: CheckRequest,
  { decision }: Pick<CheckResponse, 'decision'>,
  profile = defaultProfile,
): DecisionRecord {
  const members = decisionRecordMembers(request, judgePolicy(request, profile), profile);
  return { ...JSON.parse(`{${members}}`), decision };
}

/**
 * The members of `decisionRecord` in JSON, without braces, for a log line of every request;
 * unless `named`, without the profile and its digest.
 * @throws InvalidProfile
 */
export function decisionRecordMembers(
  { request_id }: CheckRequest,
  { ruling, answers }: Judgement,
  profile = defaultProfile,
  named = true,
): string {
  const id = request_id == null ? '' : `"caller_request_id":${JSON.stringify(request_id)},`;
  const head = named ? compileProfile(profile).recordHead : '';
  let sections = '';
  for (const { section } of answers) sections += section;
  return id + head + ruling.record + sections;
}
