import { type Decision, failure, type Profile, strictest, success } from '@gatehouse/contracts';
import {
  entriesOnHost,
  groupByHost,
  matchesMethod,
  matchesPath,
  type PlannedAction,
  pathOf,
  portOf,
  type RequestPattern,
  readPattern,
  shorten,
} from '@gatehouse/contracts/action';
import type { Claims, Explained, RuleResult } from '../rules/rule.ts';
import { type Facts, STATED_SECTIONS, type Statements, stateFacts } from './facts.ts';

export type Settings = NonNullable<Profile['actions']>;

/** An action from a check, or from a log, which has no body. */
export interface SeenAction extends Pick<PlannedAction, 'method' | 'target'> {
  readonly json?: PlannedAction['json'];
  /** True if the log says that the action spends nothing. */
  readonly spendsNothing?: boolean;
}

export interface JudgedAction {
  readonly result: RuleResult;
  readonly stated: Statements;
}

export interface ActionEntry extends RequestPattern {
  readonly index: number;
  readonly rule: Settings['rules'][number];
}

/** Parses the rules. Calls `add` for each mistake, with its pointer below `actions`. */
export function readEntries(
  { rules }: Settings,
  add: (pointer: string, message: string) => void = () => {},
): ActionEntry[] {
  return rules.flatMap((rule, index) => {
    const pattern = readPattern(rule, (member, message) =>
      add(`/rules/${index}${member}`, message),
    );
    return pattern ? { ...pattern, index, rule } : [];
  });
}

type Judge = (action?: SeenAction, claimed?: Claims<'spend'> | null) => JudgedAction;

/**
 * Decides about the action of a check (docs/contract.md, "Rules on the request"). The first case
 * that applies decides:
 * 1. Without an action, the outcome is `missing`.
 * 2. A path that two servers could read differently gets the strictest of `require_approval`, the
 *    outcomes of the rules with `paths` for its host and method, and what decides otherwise: the
 *    first rule without `paths`, else `unlisted`. Sections that any rule states for the host then
 *    count as missing.
 * 3. The first rule that matches decides, and its facts apply.
 * 4. Otherwise, the outcome is `unlisted`.
 */
export function compileActions(settings: Settings): Judge {
  const { missing, unlisted } = settings;
  const byHost = groupByHost(readEntries(settings));
  return (action, claimed) => {
    if (action === undefined)
      return {
        result: { outcome: missing, code: 'section_missing', detail: NO_ACTION, facts: {} },
        stated: {},
      };

    const { method, target, json, spendsNothing } = action;
    const onHost = entriesOnHost(byHost, target.url.hostname).filter(
      ({ host: { port } }) => port === undefined || port === portOf(target.url),
    );
    const forMethod = onHost.filter(({ rule }) => matchesMethod(rule.methods, method));
    const path = pathOf(target);
    if (path.isAmbiguous) return judgeAmbiguous(action, onHost, forMethod, unlisted);

    const found = forMethod.find((entry) => matchesPath(entry, path));
    const result = toResult(action, onHost, found ? verdictOf(found) : unlistedVerdict(unlisted));
    const recorded: Statements = spendsNothing ? { spend: success('none') } : {};
    return { result, stated: { ...recorded, ...stateFacts(found?.rule.facts, json, claimed) } };
  };
}

const NO_ACTION = 'The request has no action, so what would be sent is unknown.';

const VERDICTS = { allow: 'is allowed', require_approval: 'needs approval', deny: 'is denied' };

const CODES = {
  allow: 'action_allowed',
  require_approval: 'action_needs_approval',
  deny: 'action_denied',
} as const;

interface Verdict extends Pick<RuleResult, 'outcome' | 'code'> {
  /** Completes "GET api.test/v1 …". */
  readonly text: string;
  readonly matched?: string;
}

function verdictOf({ index, rule: { outcome } }: ActionEntry): Verdict {
  const matched = `/actions/rules/${index}`;
  const text = `matches \`${matched}\` and ${VERDICTS[outcome]}`;
  return { outcome, code: CODES[outcome], text, matched };
}

function unlistedVerdict(outcome: Settings['unlisted']): Verdict {
  const text = `matches no rule in the profile, so it ${VERDICTS[outcome]}`;
  return { outcome, code: 'action_unlisted', text };
}

const AMBIGUOUS = 'the path can be read in more than one way';

function judgeAmbiguous(
  action: SeenAction,
  onHost: readonly ActionEntry[],
  forMethod: readonly ActionEntry[],
  unlisted: Decision,
): JudgedAction {
  const anyPath = forMethod.find(({ paths }) => paths === undefined);
  const somePaths = forMethod.filter(({ paths }) => paths !== undefined);
  const outcomes = somePaths.map(({ rule }) => rule.outcome);
  const outcome = strictest([
    'require_approval',
    ...outcomes,
    anyPath === undefined ? unlisted : anyPath.rule.outcome,
  ]);
  const isStated = (section: keyof NonNullable<Facts>) =>
    onHost.some(({ rule }) => rule.facts?.[section] !== undefined);
  const stated = STATED_SECTIONS.filter(isStated).map((section) => [section, failure(AMBIGUOUS)]);
  const text = `${VERDICTS[outcome]}, because ${AMBIGUOUS}`;
  const result = toResult(action, onHost, { outcome, code: 'action_ambiguous', text });
  return { result, stated: Object.fromEntries(stated) };
}

const MAX_PATH_CHARS = 128;
const MAX_REMEDY_REQUESTS = 20;

function toResult(
  { method, target: { url } }: SeenAction,
  onHost: readonly ActionEntry[],
  { outcome, code, text, matched }: Verdict,
): RuleResult {
  const action = { method, host: url.host, path: shorten(url.pathname, MAX_PATH_CHARS) };
  const allowed = onHost.filter(({ rule }) => rule.outcome === 'allow').flatMap(requestsOf);
  const use_requests = allowed.slice(0, MAX_REMEDY_REQUESTS);
  const facts = {
    action,
    ...(matched !== undefined && { matched }),
    ...(outcome !== 'allow' && use_requests.length > 0 && { remedy: { use_requests } }),
  };
  return { outcome, code, detail: `${method} ${action.host}${action.path} ${text}.`, facts };
}

/** Puts the remedy in an explanation into words that complete "the rule would allow …". */
export function allowedRequests({ remedy }: Explained): string | undefined {
  const requests = remedy?.use_requests;
  return requests && `one of these requests: ${requests.join('; ')}`;
}

/** Lists the requests that a rule matches, such as `GET,HEAD api.test/v1/*`. */
export function requestsOf({ rule, host }: ActionEntry): string[] {
  const { methods = ['any method'], paths = [', any path'] } = rule;
  return paths.map((path) => `${methods.join(',')} ${host.text}${path}`);
}
