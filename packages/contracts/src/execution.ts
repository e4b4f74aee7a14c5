import { type Static, Type } from '@sinclair/typebox';
import {
  Flag,
  Integer,
  Nullish,
  OneOf,
  ShownAs,
  Strict,
  StrictTitled,
  StringMap,
  Text,
  Texts,
  Titled,
} from './schema.ts';
import { MAX_VIOLATION_CHARS, MAX_VIOLATIONS } from './violation.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/** A method as answers show it. */
export const methodOf = (description: string) => OneOf(METHODS, description, 'Method');

/** Methods that may be sent again (spec `http-executor.md` section 8). */
export const RETRIED_METHODS: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];

/** How a response body may be asked for; `auto` is the first of the others that fits. */
export const RESPONSE_TYPES = ['json', 'text', 'base64', 'auto'] as const;
export type ResponseType = (typeof RESPONSE_TYPES)[number];

const BODY_TYPES = ['json', 'text', 'base64'] as const;
export type BodyType = (typeof BODY_TYPES)[number];

const positive = (description: string) => Type.Integer({ minimum: 1, description });

const eitherCase = (word: string) =>
  word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);

/** What the guard takes at most; the longest host is the longest name that DNS has. */
export const ACTION_LIMITS = {
  urlBytes: 8 * 1024,
  hostChars: 253,
  headers: 100,
  headerValueBytes: 8 * 1024,
} as const;

/** A token (RFC 9110, section 5.6.2). */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Visible ASCII, spaces and tabs. */
export const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

const HEADERS = 'Request headers; credentials in them are redacted everywhere.';
const shownHeaders = StringMap(
  Type.String({ pattern: HEADER_VALUE.source, maxLength: ACTION_LIMITS.headerValueBytes }),
  HEADERS,
  {
    title: 'RequestHeaders',
    propertyNames: { pattern: HEADER_NAME.source },
    maxProperties: ACTION_LIMITS.headers,
  },
);

const URL_DESCRIPTION = 'Absolute http or https URL; its host must be on the allowlist.';
const shownUrl = Type.String({
  pattern: `^[Hh][Tt][Tt][Pp][Ss]?://(?:\\[[0-9A-Fa-f:.]+\\]|[^/?#@:\\\\]{1,${ACTION_LIMITS.hostChars}})(?::[0-9]*)?(?:[/?#]|$)`,
  format: 'uri',
  minLength: 1,
  maxLength: ACTION_LIMITS.urlBytes,
  description: URL_DESCRIPTION,
});

/** What to send (spec `http-executor.md` section 2). */
export const ActionArguments = StrictTitled('ActionArguments', {
  method: ShownAs(
    methodOf('Taken in lower case, too.'),
    Type.String({
      pattern: `^(?:${METHODS.map(eitherCase).join('|')})$`,
      'x-violation': `must be one of ${METHODS.join(', ')}`,
    }),
  ),
  url: ShownAs(shownUrl, Text(URL_DESCRIPTION)),
  headers: Nullish(ShownAs(shownHeaders, StringMap(Type.String(), HEADERS))),
  body: Type.Optional(
    Type.Unknown({
      description:
        'With a JSON content type, or none: any JSON value, sent as it is written; `null` sends no body. With a form type an object is sent as a form, with any other type a string as text, in UTF-8.',
    }),
  ),
  response_schema: Nullish(
    Type.Unsafe<Record<string, unknown>>({
      title: 'ResponseSchema',
      type: 'object',
      additionalProperties: true,
      description:
        'JSON Schema for the response body: 2020-12 with the words of OpenAPI, or the draft that `$schema` names.',
    }),
  ),
  response_type: Nullish(
    OneOf(
      RESPONSE_TYPES,
      'How to read the response body: `json` (the default), `text` by its charset, `base64`, or `auto`: JSON where it is JSON, else text where it is text, else base64.',
      'ResponseType',
    ),
  ),
});
export type ActionArguments = Static<typeof ActionArguments>;

export const CLASSIFICATIONS = ['status', 'timeout', 'connect'] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

/** One failed attempt. */
export const HttpRetryRecord = Titled('HttpRetryRecord', {
  attempt: positive('Counted from 1.'),
  classification: OneOf(
    CLASSIFICATIONS,
    'The upstream answered 429 or 5xx, took too long, or the connection failed.',
    'Classification',
  ),
  status: Type.Optional(Integer('Of the upstream, if it answered.')),
  delay_ms: Integer('Milliseconds waited after this attempt; 0 for the last.'),
  duration_ms: Integer('Milliseconds that the attempt took.'),
});
export type HttpRetryRecord = Static<typeof HttpRetryRecord>;

export const ResponseHeaders = StringMap(
  Type.Union([Type.String(), Type.Array(Type.String())]),
  'Lower-case names; an array for a repeated header; credentials show as `REDACTED`.',
  { title: 'ResponseHeaders' },
);
export type ResponseHeaders = Static<typeof ResponseHeaders>;

const body_type = Type.Optional(
  OneOf(
    BODY_TYPES,
    'What `body` is, where `response_type` was given; `json` also for the `null` of an empty one.',
    'BodyType',
  ),
);

const executionStats = {
  attempts: positive('How many attempts were made.'),
  history: Type.Array(HttpRetryRecord, {
    description: 'Failed attempts that may be retried, in order; also after a success.',
  }),
  redactions: Type.Optional(positive('How many echoed credentials were replaced by `REDACTED`.')),
};

export const SuccessOutcome = Titled('SuccessOutcome', {
  outcome: Type.Literal('success'),
  status: Type.Integer({ minimum: 200, maximum: 299, description: 'Of the upstream.' }),
  headers: ResponseHeaders,
  body: Type.Unknown({
    description:
      'Any JSON value, or by `response_type` a string of text or base64; `null` for an empty body.',
  }),
  body_type,
  ...executionStats,
});
export type SuccessOutcome = Static<typeof SuccessOutcome>;

export const FAILURES = [
  'HttpFailure',
  'RetriesExhausted',
  'SchemaValidationFailed',
  'ResponseNotJson',
  'ResponseTooLarge',
  'ConnectFailure',
  'Timeout',
  'RequestFailed',
] as const;
export type FailureName = (typeof FAILURES)[number];

const short = (description: string) => Type.String({ maxLength: MAX_VIOLATION_CHARS, description });

export const SchemaViolation = Titled('SchemaViolation', {
  path: short('The same as `pointer`.'),
  pointer: short('JSON Pointer (RFC 6901) into the response body.'),
  message: short('The pointer, and what its value has to be.'),
});
export type SchemaViolation = Static<typeof SchemaViolation>;

const upstreamError = {
  error: OneOf(FAILURES, 'A stable code, for programs.', 'FailureName'),
  message: Text('What happened, for people and models.'),
  status: Type.Optional(Integer('Of the upstream, if it answered.')),
  headers: Type.Optional(ResponseHeaders),
  body: Type.Optional(
    Type.Unknown({ description: 'As in a success; what has not the type asked for is shortened.' }),
  ),
  body_type,
  violations: Type.Optional(
    Type.Array(SchemaViolation, {
      maxItems: MAX_VIOLATIONS,
      description: 'Where the body breaks `response_schema` (`SchemaValidationFailed`).',
    }),
  ),
  retry_after_ms: Type.Optional(
    Integer('Milliseconds from the last answer until another request is welcome (`Retry-After`).'),
  ),
};

/** Why a request has no success; members that do not apply are absent. */
export const UpstreamError = Titled('UpstreamError', upstreamError);
export type UpstreamError = Static<typeof UpstreamError>;

export const FailureOutcome = Titled('FailureOutcome', {
  outcome: Type.Literal('failure'),
  ...upstreamError,
  ...executionStats,
  last_error: Type.Optional(UpstreamError),
});
export type FailureOutcome = Static<typeof FailureOutcome>;

/** The answer of `POST /execute` once a request was sent (contract, section 3). */
export const ExecutionOutcome = Type.Union([SuccessOutcome, FailureOutcome]);
export type ExecutionOutcome = Static<typeof ExecutionOutcome>;

/** The answer of `POST /execute?dry_run=true`, which connects nowhere. */
export const DryRun = StrictTitled('DryRun', {
  outcome: Type.Literal('dry_run'),
  would_send: Type.Boolean({ description: 'Whether an execution would send a request.' }),
  method: methodOf('In upper case.'),
  host: Text("With its port, unless that is the scheme's own."),
  addresses: Texts('To which the host resolves now; empty if it does not resolve.'),
  max_attempts: Integer('The most attempts that would be made.'),
  message: Text('The same in a sentence, and if not, why.'),
});
export type DryRun = Static<typeof DryRun>;

export const ExecuteQuery = Strict({
  dry_run: Type.Optional(Flag('Judge the action without connecting.')),
});
