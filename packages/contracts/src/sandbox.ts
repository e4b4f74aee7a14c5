import { type Static, Type } from '@sinclair/typebox';
import { METHODS } from './execution.ts';
import { OneOf, Strict } from './schema.ts';

/** What this executor allows (`GET /sandbox`), in milliseconds and bytes. */
export const Sandbox = Strict(
  {
    allowed_hosts: Type.Array(Type.String(), {
      description: 'The entries of HTTP_EXECUTOR_ALLOWED_HOSTS.',
    }),
    allowed_networks: Type.Array(Type.String(), {
      description: 'CIDRs that allowlisted names may reach besides public addresses.',
    }),
    methods: Type.Array(OneOf(METHODS), { description: 'What `method` may be.' }),
    retry: Strict({
      methods: Type.Array(OneOf(METHODS), {
        description: 'Methods that are retried.',
      }),
      max_attempts: Type.Integer({ description: 'Including the first.' }),
      base_delay_ms: Type.Integer({
        description: 'Milliseconds before the second attempt; doubles each time.',
      }),
      max_delay_ms: Type.Integer({
        description: 'Milliseconds that a wait never exceeds, whatever `Retry-After` says.',
      }),
    }),
    limits: Strict({
      attempt_timeout_ms: Type.Integer({
        description: 'Milliseconds for one attempt, from name resolution to the last byte.',
      }),
      total_timeout_ms: Type.Integer({
        description: 'Milliseconds for all attempts and the waits between them.',
      }),
      max_request_bytes: Type.Integer({ description: 'Bytes of a body of `POST /execute`.' }),
      max_response_bytes: Type.Integer({
        description: 'Bytes of a response body, counted after decompression.',
      }),
      max_executions: Type.Integer({ description: 'Executions in flight at once.' }),
      max_executions_per_host: Type.Integer({
        description: 'Executions in flight at once for one host and port.',
      }),
      max_wait_ms: Type.Integer({
        description: 'Milliseconds that an execution waits for a slot; then 429.',
      }),
      max_redirects: Type.Integer({ description: 'Redirects followed within one attempt.' }),
      max_json_depth: Type.Integer({
        description: 'Levels of nesting in request and response bodies.',
      }),
      max_schema_bytes: Type.Integer({
        description: 'Bytes of `response_schema`, written as JSON.',
      }),
      max_schema_depth: Type.Integer({ description: 'Levels of nesting in `response_schema`.' }),
      max_schema_nodes: Type.Integer({ description: 'Values in `response_schema`.' }),
      schema_time_budget_ms: Type.Integer({
        description: 'Milliseconds to compile `response_schema`, and again to check the response.',
      }),
    }),
  },
  { title: 'Sandbox' },
);
export type Sandbox = Static<typeof Sandbox>;
