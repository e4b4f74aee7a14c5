import { type Static, Type } from '@sinclair/typebox';
import { methodOf } from './execution.ts';
import { Integer, StrictTitled, Texts } from './schema.ts';

/** What this executor allows (`GET /sandbox`), in milliseconds and bytes. */
export const SandboxDescription = StrictTitled('Sandbox', {
  allowed_hosts: Texts('The entries of HTTP_EXECUTOR_ALLOWED_HOSTS.'),
  allowed_networks: Texts('CIDRs that allowlisted names may reach besides public addresses.'),
  methods: Type.Array(methodOf(''), { description: 'What `method` may be.' }),
  retry: StrictTitled('SandboxRetry', {
    methods: Type.Array(methodOf(''), { description: 'Methods that are retried.' }),
    max_attempts: Integer('Including the first.'),
    base_delay_ms: Integer('Milliseconds before the second attempt; doubles each time.'),
    max_delay_ms: Integer('Milliseconds that a wait never exceeds, whatever `Retry-After` says.'),
  }),
  limits: StrictTitled('SandboxLimits', {
    attempt_timeout_ms: Integer(
      'Milliseconds for one attempt, from name resolution to the last byte.',
    ),
    total_timeout_ms: Integer('Milliseconds for all attempts and the waits between them.'),
    max_request_bytes: Integer('Bytes of a body of `POST /execute`.'),
    max_response_bytes: Integer('Bytes of a response body, counted after decompression.'),
    max_executions: Integer('Executions in flight at once.'),
    max_executions_per_host: Integer('Executions in flight at once for one host and port.'),
    max_wait_ms: Integer('Milliseconds that an execution waits for a slot; then 429.'),
    max_redirects: Integer('Redirects followed within one attempt.'),
    max_json_depth: Integer('Levels of nesting in request and response bodies.'),
    max_schema_bytes: Integer('Bytes of `response_schema`, written as JSON.'),
    max_schema_depth: Integer('Levels of nesting in `response_schema`.'),
    max_schema_nodes: Integer('Values in `response_schema`.'),
    schema_time_budget_ms: Integer(
      'Milliseconds to compile `response_schema`, and again to check the response.',
    ),
  }),
});
export type SandboxDescription = Static<typeof SandboxDescription>;
