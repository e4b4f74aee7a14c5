import type { Answer } from './client.ts';
import { emptied } from './member.ts';

/**
 * The forms that the wire contract gives to answers, written here once more: what judges
 * the services is not their own schemas. Sections 1 (errors), 2 (decisions) and 3
 * (outcomes).
 */
type Members = Readonly<Record<string, Form>>;
type Form = (value: unknown) => boolean;

const text: Form = (value) => typeof value === 'string';
const count: Form = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const positive: Form = (value) => count(value) && value !== 0;
const anything: Form = () => true;
const short: Form = (value) => text(value) && (value as string).length <= 300;
const matching =
  (pattern: RegExp): Form =>
  (value) =>
    text(value) && pattern.test(value as string);
const oneOf =
  (...values: readonly unknown[]): Form =>
  (value) =>
    values.includes(value);
const list =
  (item: Form, most = Infinity): Form =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(item);

/** Exactly these members; a name that ends with `?` may be missing. */
function object(members: Members): Form {
  const required = Object.keys(members).filter((name) => !name.endsWith('?'));
  return (value) =>
    isObject(value) &&
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(
      ([name, held]) => (members[name] ?? members[`${name}?`])?.(held) ?? false,
    );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const PROBLEM = object({
  type: matching(/^\/problems\/[a-z-]+$/),
  title: matching(/./),
  status: count,
  detail: matching(/^.+\.$/s),
  code: matching(/^([A-Z][a-z]+)+$/),
  request_id: matching(/^[\x21-\x7e]{1,128}$/),
  'errors?': list(object({ pointer: text, message: text }), 20),
});

const oneOrMore = list(text);
const headers: Form = (value) =>
  isObject(value) && Object.values(value).every((held) => text(held) || oneOrMore(held));

const ERRORS = oneOf(
  ...['HttpFailure', 'RetriesExhausted', 'SchemaValidationFailed', 'ResponseNotJson'],
  ...['ResponseTooLarge', 'ConnectFailure', 'Timeout', 'RequestFailed'],
);

const RECORD = object({
  attempt: positive,
  classification: oneOf('status', 'timeout', 'connect'),
  'status?': count,
  delay_ms: count,
  duration_ms: count,
});

const accounts = { attempts: positive, history: list(RECORD, 3), 'redactions?': positive };

const failure = {
  error: ERRORS,
  message: text,
  'status?': count,
  'headers?': headers,
  'body?': anything,
  'body_type?': oneOf('json', 'text', 'base64'),
  'violations?': list(object({ path: short, pointer: short, message: short }), 20),
  'retry_after_ms?': count,
};

const SUCCESS = object({
  outcome: oneOf('success'),
  status: count,
  headers,
  body: anything,
  'body_type?': oneOf('json', 'text', 'base64'),
  ...accounts,
});
const FAILURE = object({
  outcome: oneOf('failure'),
  ...failure,
  ...accounts,
  'last_error?': object(failure),
});

const DRY_RUN = object({
  outcome: oneOf('dry_run'),
  would_send: oneOf(true, false),
  method: matching(/^[A-Z]+$/),
  host: text,
  addresses: list(text),
  max_attempts: positive,
  message: text,
});

const VERDICT = oneOf('allow', 'require_approval', 'deny');
const RULE = object({ rule: text, outcome: VERDICT, detail: matching(/./) });
const DECISION = object({ decision: VERDICT, rules: list(RULE, 4), 'explanation?': isObject });
const BATCH = object({ results: list((result) => DECISION(result) || PROBLEM(result), 100) });

const JSON_TYPE = 'application/json; charset=utf-8';

/** What an answer is, in a word or two: `success`, `HttpFailure`, `400 InvalidAction`, `deny`. */
export interface Reading {
  readonly label: string;
  /** How it departs from the contract. */
  readonly fault?: string;
}

/** Reads an answer to `POST /execute` or `POST /policy/check`, or any problem. */
export function readAnswer({ status, type, text: body, bytes, broken }: Answer): Reading {
  if (status === 0) return { label: 'no answer', fault: `no answer: ${broken}` };
  if (broken !== undefined)
    return { label: `${status} cut off`, fault: `the answer breaks off: ${broken}` };
  if (bytes > body.length * 4)
    return { label: `${status}, huge`, fault: 'the answer is too large to be read' };
  const value = parse(body);
  if (value === undefined)
    return { label: `${status}, not JSON`, fault: `${status} without JSON: ${body.slice(0, 200)}` };
  return status === 200 ? readSuccess(value, type) : readProblem(value, type, status);
}

/** A longer answer is parsed without its `body`, which takes as long as the attack. */
const LARGE_CHARS = 1_000_000;

function parse(body: string): unknown {
  try {
    return JSON.parse(body.length > LARGE_CHARS ? emptied(body, 'body') : body);
  } catch {
    return undefined;
  }
}

function readProblem(value: unknown, type: string, status: number): Reading {
  const { code, status: written } = isObject(value) ? value : {};
  const label = `${status} ${code}`;
  if (status === 500) return { label, fault: 'status 500' };
  if (!type.startsWith('application/problem+json'))
    return { label, fault: `a refusal is sent as \`${type}\`: status ${status}` };
  if (PROBLEM(value) && written === status) return { label };
  return { label, fault: `no problem document: ${shown(value)}` };
}

function readSuccess(value: unknown, type: string): Reading {
  const { outcome, error, decision, results } = isObject(value) ? value : {};
  const label = String(decision ?? error ?? outcome ?? (results && 'batch'));
  if (type !== JSON_TYPE) return { label, fault: `a success is sent as \`${type}\`` };
  return [SUCCESS, FAILURE, DRY_RUN, DECISION, BATCH].some((form) => form(value))
    ? { label }
    : { label, fault: `not of the form of the contract: ${shown(value)}` };
}

const shown = (value: unknown) => JSON.stringify(value).slice(0, 400);
