import { type Static, Type } from '@sinclair/typebox';
import { Integer, StrictTitled, Texts } from '../schema.ts';
import { Destination } from './destination.ts';
import { methodName } from './execution.ts';

export const SandboxDescription = StrictTitled('Sandbox', {
  allowed_hosts: Texts('Hosts that actions may reach.'),
  allowed_networks: Texts(
    'Non-public networks that an allowed host may resolve to, in CIDR notation. Public addresses are always allowed.',
  ),
  destinations: Type.Optional(
    Type.Array(
      Type.Pick(
        Destination,
        ['host', 'methods', 'paths', 'credential', 'per_minute', 'max_executions'],
        { title: 'SandboxDestination', additionalProperties: false },
      ),
      { description: 'Destinations that the caller may use, if there is a destinations file.' },
    ),
  ),
  idempotency: Type.Optional(
    Type.Literal(true, { description: 'Present if an execution may have an `Idempotency-Key`.' }),
  ),
  methods: Type.Array(methodName(''), { description: 'Methods that an action may use.' }),
  retry: StrictTitled('SandboxRetry', {
    methods: Type.Array(methodName(''), { description: 'Methods that are retried.' }),
    max_attempts: Integer('Maximum number of attempts, including the first.'),
    base_delay_ms: Integer(
      'Milliseconds to wait before the second attempt. The wait doubles with each further attempt.',
    ),
    max_delay_ms: Integer(
      'Longest wait in milliseconds. If `Retry-After` asks for more, the executor stops.',
    ),
  }),
  limits: StrictTitled('SandboxLimits', {
    attempt_timeout_ms: Integer(
      'Milliseconds that one attempt may take, from name resolution to the last response byte.',
    ),
    total_timeout_ms: Integer('Time limit for all attempts and waits, in milliseconds.'),
    max_request_bytes: Integer('Maximum size of the body of `POST /execute`, in bytes.'),
    max_response_bytes: Integer('Maximum size of a response body, in bytes after decompression.'),
    max_buffered_bytes: Integer(
      'Memory for the response bodies of all executions together, in bytes. While it is in use, reading a body waits.',
    ),
    max_executions: Integer('Maximum number of executions in flight.'),
    max_executions_per_host: Integer('Maximum number of executions in flight per host and port.'),
    max_wait_ms: Integer(
      'Milliseconds that an execution waits for a free slot before the executor refuses it with a 429.',
    ),
    max_redirects: Integer('Maximum number of redirects in one attempt.'),
    max_json_depth: Integer('Maximum nesting depth of request and response bodies.'),
    max_schema_bytes: Integer('Maximum size of a `response_schema`, in bytes of JSON.'),
    max_schema_depth: Integer('Maximum nesting depth of `response_schema`.'),
    max_schema_nodes: Integer('Maximum number of objects and arrays in `response_schema`.'),
    schema_time_budget_ms: Integer(
      'Maximum processor time, in milliseconds, for compiling a `response_schema` and for checking a response body.',
    ),
  }),
});
export type SandboxDescription = Static<typeof SandboxDescription>;
