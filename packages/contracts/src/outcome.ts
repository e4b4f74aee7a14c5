import { type Static, Type } from '@sinclair/typebox';
import { Integer, OneOf, StringMap, Text, Titled } from './schema.ts';
import { MAX_VIOLATION_CHARS, MAX_VIOLATIONS } from './violation.ts';

const positive = (description: string) => Type.Integer({ minimum: 1, description });

const CLASSIFICATIONS = ['status', 'timeout', 'connect'] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

export const HttpRetryRecord = Titled('HttpRetryRecord', {
  attempt: positive('Number of the attempt, from 1.'),
  classification: OneOf(
    CLASSIFICATIONS,
    '`status`: the upstream answered 429 or 5xx. `timeout`: it took too long. `connect`: the connection failed.',
    'Classification',
  ),
  status: Type.Optional(Integer('Status of the upstream, if it answered.')),
  delay_ms: Integer('Milliseconds waited after this attempt; 0 after the last.'),
  duration_ms: Integer('Milliseconds that the attempt took.'),
});
export type HttpRetryRecord = Static<typeof HttpRetryRecord>;

export const ResponseHeaders = StringMap(
  Type.Union([Type.String(), Type.Array(Type.String())]),
  'Names are in lower case, repeated headers are arrays, and credentials are replaced by `REDACTED`.',
  { title: 'ResponseHeaders' },
);
export type ResponseHeaders = Static<typeof ResponseHeaders>;

const BODY_TYPES = ['json', 'text', 'base64'] as const;
export type BodyType = (typeof BODY_TYPES)[number];

const body_type = Type.Optional(
  OneOf(
    BODY_TYPES,
    'Type of `body`, if the action has a `response_type`; `json` also for the `null` of an empty body.',
    'BodyType',
  ),
);

const executionStats = {
  attempts: positive('Number of attempts made.'),
  history: Type.Array(HttpRetryRecord, {
    description: 'Failed attempts that may be retried, in order, including those before a success.',
  }),
  redactions: Type.Optional(
    positive('Number of echoed credentials that were replaced by `REDACTED`.'),
  ),
};

export const SuccessOutcome = Titled('SuccessOutcome', {
  outcome: Type.Literal('success'),
  status: Type.Integer({ minimum: 200, maximum: 299, description: 'Status of the upstream.' }),
  headers: ResponseHeaders,
  body: Type.Unknown({
    description:
      'Any JSON value, or a string of text or base64 as `response_type` asks; `null` for an empty body.',
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
  path: short('Same as `pointer`.'),
  pointer: short('JSON Pointer (RFC 6901) into the response body.'),
  message: short('The pointer and what its value must be.'),
});
export type SchemaViolation = Static<typeof SchemaViolation>;

const upstreamError = {
  error: OneOf(FAILURES, 'Stable code for programs.', 'FailureName'),
  message: Text('What happened, for people and models.'),
  status: Type.Optional(Integer('Status of the upstream, if it answered.')),
  headers: Type.Optional(ResponseHeaders),
  body: Type.Optional(
    Type.Unknown({
      description: 'Same as on success, except that a body of the wrong type is shortened.',
    }),
  ),
  body_type,
  violations: Type.Optional(
    Type.Array(SchemaViolation, {
      maxItems: MAX_VIOLATIONS,
      description: 'Where the body breaks `response_schema` (`SchemaValidationFailed`).',
    }),
  ),
  retry_after_ms: Type.Optional(
    Integer('Milliseconds to wait after the last response, from its `Retry-After` header.'),
  ),
};

export const UpstreamError = Titled('UpstreamError', upstreamError);
export type UpstreamError = Static<typeof UpstreamError>;

export const FailureOutcome = Titled('FailureOutcome', {
  outcome: Type.Literal('failure'),
  ...upstreamError,
  ...executionStats,
  last_error: Type.Optional(UpstreamError),
});
export type FailureOutcome = Static<typeof FailureOutcome>;

/** Response of `POST /execute` (docs/contract.md, "Outcomes"). */
export const ExecutionOutcome = Type.Union([SuccessOutcome, FailureOutcome]);
export type ExecutionOutcome = Static<typeof ExecutionOutcome>;
