import { EXECUTOR_PATHS, Sandbox } from '@gatehouse/contracts';
import type { Documentation, Operation } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };
import { executeOperation } from './routes/execute-operation.ts';
import { DEFAULT_SANDBOX } from './routes/sandbox.ts';

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
          value: DEFAULT_SANDBOX,
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
