import { EXECUTOR_PATHS, Sandbox } from '@gatehouse/contracts';
import type { Documentation, Operation } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };
import { executeOperation } from './routes/execute-operation.ts';

const sandbox: Operation = {
  operationId: 'getSandbox',
  tag: 'executor',
  summary: 'Read what this executor lets through',
  description:
    'The allowlist, the methods, how often and when requests are sent again, and all limits, for a planner to read before it plans. Durations are milliseconds, sizes are bytes.',
  answers: [
    {
      description: 'The sandbox.',
      schema: Sandbox,
      examples: {
        defaults: {
          summary: 'Out of the box',
          value: {
            allowed_hosts: ['localhost', '127.0.0.1', '::1'],
            allowed_networks: [],
            methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
            retry: {
              methods: ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'],
              max_attempts: 3,
              base_delay_ms: 200,
              max_delay_ms: 2000,
            },
            limits: {
              attempt_timeout_ms: 15_000,
              total_timeout_ms: 60_000,
              max_request_bytes: 1_048_576,
              max_response_bytes: 10_485_760,
              max_executions: 1_000,
              max_executions_per_host: 256,
              max_wait_ms: 1_000,
              max_redirects: 5,
              max_json_depth: 256,
              max_schema_bytes: 65_536,
              max_schema_depth: 64,
              max_schema_nodes: 5_000,
              schema_time_budget_ms: 500,
            },
          },
        },
      },
    },
  ],
};

/** What people read about the executor at `/docs`. */
export const documentation: Documentation = {
  title: 'Gatehouse HTTP executor',
  description:
    "Performs a planner's outbound JSON requests inside a sandbox, with an allowlist, an address guard, retries, response validation and redaction. A refusal before anything was sent is a problem (RFC 9457), whose `type` is a path of this service with a page about it; once a request was attempted, the answer is 200 with an outcome. Unknown paths are answered with `NotFound`, wrong methods with `MethodNotAllowed` and an `Allow` header.",
  version: manifest.version,
  license: manifest.license,
  tags: [{ name: 'executor', description: 'Requests to the world, from within a sandbox.' }],
  operations: { [EXECUTOR_PATHS.execute]: executeOperation, [EXECUTOR_PATHS.sandbox]: sandbox },
};
