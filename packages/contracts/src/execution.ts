import { type Static, Type } from '@sinclair/typebox';
import { Nullish, OneOf, Strict, StringMap } from './schema.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/** Methods that may be sent again (spec `http-executor.md` section 8). */
export const RETRIED_METHODS: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];

const eitherCase = (word: string) => word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);

/** What to send (spec `http-executor.md` section 2). */
export const ActionArguments = Strict(
  {
    method: Type.String({
      pattern: `^(?:${METHODS.map(eitherCase).join('|')})$`,
      description: `${METHODS.join(', ')}; in any case.`,
      'x-violation': `must be one of ${METHODS.join(', ')}`,
    }),
    url: Type.String({ description: 'Absolute http or https URL; its host must be on the allowlist.' }),
    headers: Nullish(
      StringMap(Type.String(), { description: 'Request headers; credentials in them are redacted everywhere.' }),
    ),
    body: Type.Optional(
      Type.Unknown({ description: 'Any JSON value, sent as `application/json`; `null` sends none.' }),
    ),
    response_schema: Nullish(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'JSON Schema, draft 2020-12, that the response body has to satisfy.',
      }),
    ),
  },
  { title: 'ActionArguments' },
);
export type ActionArguments = Static<typeof ActionArguments>;

export const CLASSIFICATIONS = ['status', 'timeout', 'connect'] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

/** One failed attempt. */
export const HttpRetryRecord = Type.Object({
  attempt: Type.Integer({ minimum: 1 }),
  classification: OneOf(CLASSIFICATIONS),
  status: Type.Optional(Type.Integer({ description: 'When the upstream answered with one.' })),
  delay_ms: Type.Integer({ description: 'Waited after this attempt; 0 for the last.' }),
  duration_ms: Type.Integer(),
});
export type HttpRetryRecord = Static<typeof HttpRetryRecord>;

export const ResponseHeaders = StringMap(Type.Union([Type.String(), Type.Array(Type.String())]), {
  description: 'Lower-case names; an array for a repeated header; credentials show as `REDACTED`.',
});
export type ResponseHeaders = Static<typeof ResponseHeaders>;

export const SuccessOutcome = Type.Object(
  {
    outcome: Type.Literal('success'),
    status: Type.Integer(),
    headers: ResponseHeaders,
    body: Type.Unknown(),
    attempts: Type.Integer({ minimum: 1 }),
    history: Type.Array(HttpRetryRecord),
    redactions: Type.Optional(Type.Integer({ minimum: 1, description: 'Echoed credentials that were scrubbed.' })),
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

export const SchemaViolation = Type.Object({ path: Type.String(), message: Type.String() });
export type SchemaViolation = Static<typeof SchemaViolation>;

const upstreamError = {
  error: OneOf(FAILURES),
  message: Type.String(),
  status: Type.Optional(Type.Integer()),
  headers: Type.Optional(ResponseHeaders),
  body: Type.Optional(Type.Unknown()),
  violations: Type.Optional(Type.Array(SchemaViolation)),
};

/** What went wrong upstream; members that do not apply to the variant are absent. */
export const UpstreamError = Type.Object(upstreamError);
export type UpstreamError = Static<typeof UpstreamError>;

export const FailureOutcome = Type.Object(
  {
    outcome: Type.Literal('failure'),
    ...upstreamError,
    attempts: Type.Integer({ minimum: 1 }),
    history: Type.Array(HttpRetryRecord),
    last_error: Type.Optional(UpstreamError),
    redactions: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { title: 'FailureOutcome' },
);
export type FailureOutcome = Static<typeof FailureOutcome>;

/** The answer of `POST /execute` once a request was attempted (contract, section 3). */
export const ExecutionOutcome = Type.Union([SuccessOutcome, FailureOutcome]);
export type ExecutionOutcome = Static<typeof ExecutionOutcome>;

/** The answer of `POST /execute?dry_run=true`: nothing was connected to, let alone sent. */
export const DryRun = Strict(
  {
    outcome: Type.Literal('dry_run'),
    method: OneOf(METHODS),
    host: Type.String({ description: "With its port, unless that is the scheme's own." }),
    addresses: Type.Array(Type.String(), { description: 'To which the host resolves now; empty when it does not.' }),
    max_attempts: Type.Integer({ description: 'How often the request may be sent at most.' }),
    message: Type.String(),
  },
  { title: 'DryRun' },
);
export type DryRun = Static<typeof DryRun>;

export const ExecuteQuery = Strict({
  dry_run: Type.Optional(OneOf(['true', 'false'], { description: 'Say what would happen, without connecting.' })),
});

/** What this executor lets through (`GET /sandbox`). Durations are milliseconds, sizes are bytes. */
export const Sandbox = Strict(
  {
    allowed_hosts: Type.Array(Type.String()),
    allowed_networks: Type.Array(Type.String()),
    methods: Type.Array(OneOf(METHODS)),
    retry: Strict({
      methods: Type.Array(OneOf(METHODS)),
      max_attempts: Type.Integer(),
      base_delay_ms: Type.Integer(),
      max_delay_ms: Type.Integer(),
    }),
    limits: Strict({
      attempt_timeout_ms: Type.Integer(),
      total_timeout_ms: Type.Integer(),
      max_request_bytes: Type.Integer(),
      max_response_bytes: Type.Integer(),
      max_executions: Type.Integer({ description: 'In flight at once.' }),
      max_executions_per_host: Type.Integer(),
      max_wait_ms: Type.Integer({ description: 'For a slot, before the answer is 429.' }),
      max_redirects: Type.Integer(),
      max_json_depth: Type.Integer(),
      max_schema_bytes: Type.Integer(),
      max_schema_depth: Type.Integer(),
      max_schema_nodes: Type.Integer(),
      schema_time_budget_ms: Type.Integer(),
    }),
  },
  { title: 'Sandbox' },
);
export type Sandbox = Static<typeof Sandbox>;
