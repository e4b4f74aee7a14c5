import { EXECUTOR_PATHS, METHODS, Sandbox } from '@gatehouse/contracts';
import {
  type Sandbox as ExecutorSandbox,
  MAX_JSON_DEPTH,
  MAX_REDIRECTS,
  RETRY_POLICY,
  SCHEMA_BUDGET_MS,
  SCHEMA_LIMITS,
} from '@gatehouse/http-executor';
import type { Server } from '@gatehouse/service';
import type { ExecutorConfig } from '../config.ts';

/**
 * `GET /sandbox` (contract, section 3): what this executor lets through, for a planner to
 * read beforehand.
 */
export function serveSandbox(app: Server, config: ExecutorConfig, sandbox: ExecutorSandbox): void {
  const description = describe(config, sandbox);
  app.get(EXECUTOR_PATHS.sandbox, { schema: { response: { 200: Sandbox } } }, () => description);
}

function describe(
  { concurrency, limits, maxRequestBytes }: ExecutorConfig,
  { allowlist, networks }: ExecutorSandbox,
): Sandbox {
  return {
    allowed_hosts: [...allowlist.entries],
    allowed_networks: [...networks],
    methods: [...METHODS],
    retry: {
      methods: [...RETRY_POLICY.methods],
      max_attempts: RETRY_POLICY.maxAttempts,
      base_delay_ms: RETRY_POLICY.baseDelayMs,
      max_delay_ms: RETRY_POLICY.maxDelayMs,
    },
    limits: {
      attempt_timeout_ms: limits.attemptTimeoutMs,
      total_timeout_ms: limits.totalTimeoutMs,
      max_request_bytes: maxRequestBytes,
      max_response_bytes: limits.maxResponseBytes,
      max_executions: concurrency.maxExecutions,
      max_executions_per_host: concurrency.maxExecutionsPerHost,
      max_wait_ms: concurrency.maxWaitMs,
      max_redirects: MAX_REDIRECTS,
      max_json_depth: MAX_JSON_DEPTH,
      max_schema_bytes: SCHEMA_LIMITS.maxBytes,
      max_schema_depth: SCHEMA_LIMITS.maxDepth,
      max_schema_nodes: SCHEMA_LIMITS.maxNodes,
      schema_time_budget_ms: SCHEMA_BUDGET_MS,
    },
  };
}
