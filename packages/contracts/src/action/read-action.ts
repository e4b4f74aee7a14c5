import { ACTION_LIMITS, ActionArguments, type Method } from '../executor/execution.ts';
import { inspectJson } from '../json/inspect.ts';
import { JsonText } from '../json/json-text.ts';
import { parseMembers } from '../json/members.ts';
import { MAX_MEMBERS } from '../json/parse-exact.ts';
import { type Checked, compileValidator } from '../validation.ts';
import type { Violation } from '../violation.ts';
import { encodeBody, TOO_DEEP, toJsonText } from './body.ts';
import { actionDigest, tooManyValues } from './digest.ts';
import { readActionHeaders } from './headers.ts';
import { appendQuery } from './query.ts';
import { fragmentViolation, readUrl, type Target } from './url.ts';

export const validateAction = compileValidator(ActionArguments);

export const toMethod = (text: string) => text.toUpperCase() as Method;

interface ReadTarget {
  /** Undefined if the URL is malformed. */
  readonly value?: Target;
  readonly violations: readonly Violation[];
}

/** Reads the URL of an action, with its query. */
export function readTarget(
  { url, query }: Pick<ActionArguments, 'url' | 'query'>,
  method: Method,
): ReadTarget {
  const violations: Violation[] = [];
  const whole = appendQuery(url, query);
  if (!whole.ok) violations.push(...whole.reason);
  const target = readUrl(whole.ok ? whole.value : url);
  if (!target.ok) violations.push(target.reason);
  const fragment = fragmentViolation(method, url);
  if (fragment !== undefined) violations.push(fragment);
  return target.ok ? { value: target.value, violations } : { violations };
}

/** Lists violations that the schema does not describe, in the members that match the schema. */
export function inspectAction(value: unknown, maxRequestBytes: number): Violation[] {
  const { url, method = 'GET', ...action } = validMembers(value);
  const target = url === undefined ? undefined : readTarget({ ...action, url }, toMethod(method));
  const read = readActionHeaders(value);
  const body = encodeBody(action, read.headers, maxRequestBytes);
  return [...(target?.violations ?? []), ...read.violations, ...(body.ok ? [] : body.reason)];
}

/**
 * Returns the members of an action that match the schema, so that more can be said about an action
 * that is invalid as a whole.
 */
export function validMembers(value: unknown): Partial<ActionArguments> {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const isValid = ([name, member]: [string, unknown]) =>
    validateAction({ method: 'GET', url: 'https://a.test', [name]: member }).ok;
  return Object.fromEntries(members.filter(isValid));
}

/** A well-formed action, as the rules of a policy see it. */
export interface PlannedAction {
  readonly method: Method;
  readonly target: Target;
  readonly digest: string;
  /** The action as plain JSON, so that pointers such as `/body/amount` can be resolved. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Members whose numbers may have any digits. */
const ANY_DIGITS: ReadonlySet<string> = new Set(['body', 'query', 'response_schema']);

/**
 * Reads an action without sending it, or lists what the executor would refuse as malformed
 * (docs/contract.md, "Action"). Members that only shape the answer are ignored.
 */
export function readAction(value: unknown): Checked<PlannedAction> {
  const members = value instanceof JsonText ? readMembers(value) : { ok: true as const, value };
  if (!members.ok) return members;

  const checked = validateAction(members.value);
  const others = inspectAction(members.value, ACTION_LIMITS.requestBytes);
  if (!checked.ok) return { ok: false, violations: [...checked.violations, ...others] };

  const action = checked.value;
  // Signing a schema that is much deeper would overflow the stack.
  if (toJsonText(action.response_schema ?? null) === undefined)
    others.push({ pointer: '/response_schema', message: TOO_DEEP });

  const method = toMethod(action.method);
  const { value: target } = readTarget(action, method);
  if (others.length > 0 || target === undefined) return { ok: false, violations: others };

  const digest = actionDigest({ ...action, method, url: target.url });
  if (!digest.ok) return { ok: false, violations: digest.reason };

  return { ok: true, value: { method, target, digest: digest.value, json: plainJson(action) } };
}

function readMembers(action: JsonText): Checked<unknown> {
  const bytes = Buffer.from(action.text);
  const { inexactNumbers, passedOn, count } = inspectJson(bytes, { passedOn: ANY_DIGITS });
  if (count > MAX_MEMBERS) return { ok: false, violations: [TOO_MANY_MEMBERS] };

  const body = passedOn.find(({ pointer }) => pointer === '/body');
  const crowded = body && tooManyValues(bytes.subarray(body.start, body.end));
  if (crowded !== undefined) return { ok: false, violations: [crowded] };

  const message = 'cannot be represented exactly as a double; send fewer digits';
  const violations = inexactNumbers.map((pointer) => ({ pointer, message }));
  if (violations.length > 0) return { ok: false, violations };

  // A check ignores the schema, except that it must be an object.
  const kept = passedOn.filter(({ pointer }) => pointer !== '/response_schema');
  return { ok: true, value: parseMembers(bytes, kept) };
}

/** Validating more members would block the event loop. */
const TOO_MANY_MEMBERS: Violation = {
  pointer: '',
  message: `must have at most ${MAX_MEMBERS} members, not counting members inside \`body\`, \`query\` and \`response_schema\``,
};

function plainJson(action: ActionArguments): Record<string, unknown> {
  const members = Object.entries(action).filter(([, member]) => member != null);
  return Object.fromEntries(
    members.map(([name, member]) => {
      if (!(member instanceof JsonText)) return [name, member];
      // The digest refuses a body with a number that parsing would change.
      return [name, JSON.parse(member.text, name === 'query' ? asSent : undefined)];
    }),
  );
}

/**
 * Turns a number that is sent with other digits than its own into text, such as `50000e-2`. A rule
 * would read that as 500, but some servers read it as 50000.
 */
function asSent(this: unknown, _name: string, value: unknown, context?: { source?: string }) {
  const { source = '' } = context ?? {};
  return typeof value === 'number' && source !== String(value) ? source : value;
}
