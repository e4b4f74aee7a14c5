import { type Static, Type } from '@sinclair/typebox';
import { Integer, OneOf, StringMap, Text, Titled } from './schema.ts';
import { MAX_VIOLATION_CHARS, MAX_VIOLATIONS } from './violation.ts';

const positive = (description: string) => Type.Integer({ minimum: 1, description });

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

const BODY_TYPES = ['json', 'text', 'base64'] as const;
export type BodyType = (typeof BODY_TYPES)[number];

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
