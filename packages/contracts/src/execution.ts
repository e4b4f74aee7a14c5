import { type Static, Type } from '@sinclair/typebox';
import { Nullish, OneOf, Strict, StringMap } from './schema.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/** Methods that may be sent again (spec `http-executor.md` section 8). */
export const RETRIED_METHODS: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];

const eitherCase = (word: string) =>
  word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);

/** What to send (spec `http-executor.md` section 2). */
export const ActionArguments = Strict(
  {
    method: Type.String({
      pattern: `^(?:${METHODS.map(eitherCase).join('|')})$`,
      description: `${METHODS.join(', ')}, in upper or lower case.`,
      'x-violation': `must be one of ${METHODS.join(', ')}`,
    }),
    url: Type.String({
      description: 'Absolute http or https URL; its host must be on the allowlist.',
    }),
    headers: Nullish(
      StringMap(Type.String(), {
        description: 'Request headers; credentials in them are redacted everywhere.',
      }),
    ),
    body: Type.Optional(
      Type.Unknown({
        description:
          'With a JSON content type, or none: any JSON value, sent as it is written; `null` sends no body. With a form type an object is sent as a form, with any other type a string as text.',
      }),
    ),
    response_schema: Nullish(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'JSON Schema (draft 2020-12) for the response body.',
      }),
    ),
  },
  { title: 'ActionArguments' },
);
export type ActionArguments = Static<typeof ActionArguments>;

export const CLASSIFICATIONS = ['status', 'timeout', 'connect'] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

/** One failed attempt. */
export const HttpRetryRecord = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'Counted from 1.' }),
    classification: OneOf(CLASSIFICATIONS, {
      description: 'The upstream answered 429 or 5xx, took too long, or the connection failed.',
    }),
    status: Type.Optional(Type.Integer({ description: 'Of the upstream, if it answered.' })),
    delay_ms: Type.Integer({
      description: 'Milliseconds waited after this attempt; 0 for the last.',
    }),
    duration_ms: Type.Integer({ description: 'Milliseconds that the attempt took.' }),
  },
  { title: 'HttpRetryRecord' },
);
export type HttpRetryRecord = Static<typeof HttpRetryRecord>;

export const ResponseHeaders = StringMap(Type.Union([Type.String(), Type.Array(Type.String())]), {
  description: 'Lower-case names; an array for a repeated header; credentials show as `REDACTED`.',
});
export type ResponseHeaders = Static<typeof ResponseHeaders>;

const executionStats = {
  attempts: Type.Integer({ minimum: 1, description: 'How often the request was sent.' }),
  history: Type.Array(HttpRetryRecord, {
    description: 'Failed attempts that may be retried, in order; also after a success.',
  }),
  redactions: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'How many echoed credentials were replaced by `REDACTED`.',
    }),
  ),
};

export const SuccessOutcome = Type.Object(
  {
    outcome: Type.Literal('success'),
    status: Type.Integer({ description: 'Of the upstream: 2xx.' }),
    headers: ResponseHeaders,
    body: Type.Unknown({ description: 'Any JSON value; `null` for an empty body.' }),
    ...executionStats,
  },
  { title: 'SuccessOutcome' },
);
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

export const SchemaViolation = Type.Object(
  { path: Type.String({ description: 'Where in the response body.' }), message: Type.String() },
  { title: 'SchemaViolation' },
);
export type SchemaViolation = Static<typeof SchemaViolation>;

const upstreamError = {
  error: OneOf(FAILURES, { description: 'A stable code, for programs.' }),
  message: Type.String({ description: 'What happened, for people and models.' }),
  status: Type.Optional(Type.Integer({ description: 'Of the upstream, if it answered.' })),
  headers: Type.Optional(ResponseHeaders),
  body: Type.Optional(Type.Unknown({ description: 'JSON, or the text, shortened.' })),
  violations: Type.Optional(
    Type.Array(SchemaViolation, {
      description: 'Where the body breaks `response_schema` (`SchemaValidationFailed`).',
    }),
  ),
};

/** Why a request has no success; members that do not apply are absent. */
export const UpstreamError = Type.Object(upstreamError, { title: 'UpstreamError' });
export type UpstreamError = Static<typeof UpstreamError>;

export const FailureOutcome = Type.Object(
  {
    outcome: Type.Literal('failure'),
    ...upstreamError,
    ...executionStats,
    last_error: Type.Optional(UpstreamError),
  },
  { title: 'FailureOutcome' },
);
export type FailureOutcome = Static<typeof FailureOutcome>;

/** The answer of `POST /execute` once a request was sent (contract, section 3). */
export const ExecutionOutcome = Type.Union([SuccessOutcome, FailureOutcome]);
export type ExecutionOutcome = Static<typeof ExecutionOutcome>;

/** The answer of `POST /execute?dry_run=true`, which connects nowhere. */
export const DryRun = Strict(
  {
    outcome: Type.Literal('dry_run'),
    method: OneOf(METHODS, { description: 'In upper case.' }),
    host: Type.String({ description: "With its port, unless that is the scheme's own." }),
    addresses: Type.Array(Type.String(), {
      description: 'To which the host resolves now; empty if it does not resolve.',
    }),
    max_attempts: Type.Integer({ description: 'The most attempts that would be made.' }),
    message: Type.String({ description: 'Whether the request would be sent, and if not, why.' }),
  },
  { title: 'DryRun' },
);
export type DryRun = Static<typeof DryRun>;

export const ExecuteQuery = Strict({
  dry_run: Type.Optional(
    OneOf(['true', 'false'], { description: 'Judge the action without connecting.' }),
  ),
});
