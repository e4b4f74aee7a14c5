import { type Static, Type } from '@sinclair/typebox';
import { Integer, OneOf, StringMap, Text, Titled } from '../schema.ts';
import { MAX_VIOLATION_CHARS, MAX_VIOLATIONS } from '../violation.ts';
import { methodName } from './execution.ts';

const positiveInteger = (description: string) => Type.Integer({ minimum: 1, description });

const CLASSIFICATIONS = ['status', 'timeout', 'connect'] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

export const HttpRetryRecord = Titled('HttpRetryRecord', {
  attempt: positiveInteger('Attempt number, starting at 1.'),
  classification: OneOf(
    CLASSIFICATIONS,
    'Kind of failure. `status`: the response was 429 or 5xx, or the upstream refused an OAuth token, which the executor then renewed. `timeout`: the attempt took too long. `connect`: the connection failed.',
    'Classification',
  ),
  status: Type.Optional(Integer('HTTP status of the response, if there was one.')),
  delay_ms: Integer('Milliseconds that the executor waited after the attempt, possibly 0.'),
  duration_ms: Integer('Milliseconds that the attempt took.'),
});
export type HttpRetryRecord = Static<typeof HttpRetryRecord>;

export const ResponseHeaders = StringMap(
  Type.Union([Type.String(), Type.Array(Type.String())]),
  'Response headers. Header names are in lower case, repeated headers are arrays, and credentials appear as `REDACTED`.',
  { title: 'ResponseHeaders' },
);
export type ResponseHeaders = Static<typeof ResponseHeaders>;

const BODY_TYPES = ['json', 'text', 'base64'] as const;
export type BodyType = (typeof BODY_TYPES)[number];

const body_type = Type.Optional(
  OneOf(
    BODY_TYPES,
    'Type of `body`. Present only if the action sets `response_type`. An empty body is returned as `null` with the type `json`.',
    'BodyType',
  ),
);

const Omission = Titled('Omission', {
  pointer: Text('JSON Pointer (RFC 6901) into the whole body, after `fields`.'),
  bytes: Type.Optional(
    positiveInteger('Number of bytes that are missing in a string or in the rest.'),
  ),
  items: Type.Optional(positiveInteger('Number of items that are missing at the end of a list.')),
  members: Type.Optional(
    positiveInteger('Number of members that are missing at the end of an object.'),
  ),
});

const shaped = {
  links: Type.Optional(
    StringMap(Type.String(), 'URLs from the `Link` header by relation, if `links` is set.', {
      title: 'Links',
    }),
  ),
  omitted: Type.Optional(
    Type.Array(Omission, {
      description:
        'Places where `body` was cut to `max_bytes`, at most 20. If there are more, a last entry with an empty pointer counts the remaining bytes.',
    }),
  ),
};

export const Redirect = Titled('Redirect', {
  status: Type.Integer({ description: 'HTTP status of the redirect, such as 303.' }),
  method: methodName('Method of the request that followed.'),
  url: Text('URL of the request that followed.'),
  dropped: Type.Array(Type.String(), {
    description: 'Lower-case names of the request headers that were not sent again.',
  }),
});
export type Redirect = Static<typeof Redirect>;

const executionStats = {
  body_omitted: Type.Optional(
    Type.Literal(true, {
      description:
        'Present if `body` is missing because this is the outcome of an earlier execution and was too large for the store.',
    }),
  ),
  attempts: positiveInteger('Number of attempts made.'),
  history: Type.Array(HttpRetryRecord, {
    description:
      'Attempts that failed with a retryable error, in order. A later attempt may have succeeded.',
  }),
  redirects: Type.Optional(
    Type.Array(Redirect, { description: 'Redirects that were followed, in order.' }),
  ),
  redactions: Type.Optional(
    positiveInteger(
      'Number of credentials that the upstream echoed and the executor replaced with `REDACTED`.',
    ),
  ),
  retry_after_ms: Type.Optional(
    Integer(
      'Milliseconds that the upstream asks to wait before the next request, from `Retry-After` in the last response.',
    ),
  ),
};

export const SuccessOutcome = Titled('SuccessOutcome', {
  outcome: Type.Literal('success'),
  status: Type.Integer({ minimum: 200, maximum: 299, description: 'HTTP status of the response.' }),
  headers: ResponseHeaders,
  body: Type.Optional(
    Type.Unknown({
      description:
        'Response body, which is a JSON value, text or base64, depending on `response_type`. An empty body is returned as `null`. Missing only with `body_omitted`.',
    }),
  ),
  body_type,
  ...shaped,
  ...executionStats,
});
export type SuccessOutcome = Static<typeof SuccessOutcome>;

const FAILURES = [
  'HttpFailure',
  'RetriesExhausted',
  'SchemaValidationFailed',
  'ResponseNotJson',
  'ResponseTooLarge',
  'ConnectFailure',
  'Timeout',
  'RequestFailed',
  'OutcomeUnknown',
] as const;
export type FailureName = (typeof FAILURES)[number];

const short = (description: string) => Type.String({ maxLength: MAX_VIOLATION_CHARS, description });

const SchemaViolation = Titled('SchemaViolation', {
  path: short('JSON Pointer (RFC 6901) into the response body.'),
  message: short('Description of the violation, beginning with `path`.'),
});

export const UpstreamError = Titled('UpstreamError', {
  error: OneOf(FAILURES, 'Stable code for programs.', 'FailureName'),
  message: Text('Explanation of the failure, for people and models.'),
  status: Type.Optional(Integer('HTTP status of the response, if there was one.')),
  headers: Type.Optional(ResponseHeaders),
  body: Type.Optional(
    Type.Unknown({
      description:
        'Response body, as a JSON value, text or base64. If the body does not match `response_type`, only the beginning of the body is shown, as text.',
    }),
  ),
  body_type,
  ...shaped,
  violations: Type.Optional(
    Type.Array(SchemaViolation, {
      maxItems: MAX_VIOLATIONS,
      description:
        'Places where the body does not match `response_schema`, if `error` is `SchemaValidationFailed`.',
    }),
  ),
});
export type UpstreamError = Static<typeof UpstreamError>;

export const FailureOutcome = Titled('FailureOutcome', {
  outcome: Type.Literal('failure'),
  ...UpstreamError.properties,
  ...executionStats,
  last_error: Type.Optional(UpstreamError),
});
export type FailureOutcome = Static<typeof FailureOutcome>;

/** Response body of `POST /execute` (docs/contract.md, "Outcomes"). */
export const ExecutionOutcome = Type.Union([SuccessOutcome, FailureOutcome]);
export type ExecutionOutcome = Static<typeof ExecutionOutcome>;
