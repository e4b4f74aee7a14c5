import { type Static, Type } from '@sinclair/typebox';
import { methodName } from './execution.ts';
import { Integer, StrictTitled, Texts } from './schema.ts';

export const SandboxDescription = StrictTitled('Sandbox', {
  allowed_hosts: Texts('Entries of HTTP_EXECUTOR_ALLOWED_HOSTS.'),
  allowed_networks: Texts(
    'Networks in CIDR notation that allowlisted names may reach in addition to public addresses.',
  ),
  methods: Type.Array(methodName(''), { description: 'Methods that an action may use.' }),
  retry: StrictTitled('SandboxRetry', {
    methods: Type.Array(methodName(''), { description: 'Methods that are retried.' }),
    max_attempts: Integer('Maximum number of attempts, including the first.'),
    base_delay_ms: Integer(
      'Milliseconds before the second attempt; each further wait is twice as long.',
    ),
    max_delay_ms: Integer('Maximum milliseconds of a wait, even if `Retry-After` asks for more.'),
  }),
  limits: StrictTitled('SandboxLimits', {
    attempt_timeout_ms: Integer(
      'Milliseconds for one attempt, from name resolution to the last byte.',
    ),
    total_timeout_ms: Integer('Milliseconds for all attempts and the waits between them.'),
    max_request_bytes: Integer('Maximum bytes of a request body of `POST /execute`.'),
    max_response_bytes: Integer('Maximum bytes of a response body after decompression.'),
    max_executions: Integer('Maximum executions in flight.'),
    max_executions_per_host: Integer('Maximum executions in flight for one host and port.'),
    max_wait_ms: Integer('Milliseconds that an execution waits for a slot before it gets 429.'),
    max_redirects: Integer('Maximum redirects within one attempt.'),
    max_json_depth: Integer('Maximum nesting depth of request and response bodies.'),
    max_schema_bytes: Integer('Maximum bytes of `response_schema` as JSON.'),
    max_schema_depth: Integer('Maximum nesting depth of `response_schema`.'),
    max_schema_nodes: Integer('Maximum number of objects and arrays in `response_schema`.'),
    schema_time_budget_ms: Integer(
      'Milliseconds of processor time to compile `response_schema`, and again to check the response.',
    ),
  }),
});
export type SandboxDescription = Static<typeof SandboxDescription>;
