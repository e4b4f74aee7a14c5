import { EXECUTOR_PATHS, MAX_JSON_DEPTH, METHODS, SandboxDescription } from '@gatehouse/contracts';
import {
  allowsCaller,
  type Destinations,
  listHosts,
  MAX_REDIRECTS,
  RETRY_POLICY,
  type Sandbox,
  SCHEMA_CPU_MS,
  SCHEMA_LIMITS,
} from '@gatehouse/http-executor';
import { responseOf, type Server } from '@gatehouse/service';
import { type ExecutorConfig, readConfig } from '../config.ts';

/**
 * Serves `GET /sandbox` (docs/contract.md, "Sandbox"). The example in the OpenAPI document shows
 * the default settings, because anyone can read that document without a token.
 */
export function serveSandbox(app: Server, config: ExecutorConfig, sandbox: Sandbox): void {
  const description = describeSandbox(config);
  const example = { summary: 'Default settings', value: describeSandbox(readConfig({})) };
  const schema = {
    operationId: 'getSandbox',
    tags: ['executor'],
    summary: "Show this executor's limits and allowed hosts",
    description:
      'Returns the allowlist, the allowed methods, the retry settings and all limits, so that a planner can take them into account. Durations are in milliseconds and sizes in bytes.',
    response: { 200: responseOf(SandboxDescription, 'The sandbox.', { defaults: example }) },
  };
  app.get(EXECUTOR_PATHS.sandbox, { schema }, ({ caller }) => {
    const { destinations, fromFile } = sandbox.upstreams;
    return { ...description, ...(fromFile && describeDestinations(destinations, caller)) };
  });
}

function describeDestinations({ all }: Destinations, caller: string | undefined) {
  const usable = all.filter((each) => allowsCaller(each, caller));
  const destinations = usable.map(
    ({ source: { callers, ca_file, client_cert_file, client_key_file, ...shown } }) => shown,
  );
  return { allowed_hosts: listHosts(usable), destinations };
}

export function describeSandbox(config: ExecutorConfig): SandboxDescription {
  const { allowedHosts, allowedNetworks, limits, maxSchemaBytes, storeLocation } = config;
  return {
    allowed_hosts: [...allowedHosts],
    allowed_networks: [...allowedNetworks],
    ...(storeLocation && { idempotency: true }),
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
      max_request_bytes: limits.maxRequestBytes,
      max_response_bytes: limits.maxResponseBytes,
      max_buffered_bytes: limits.maxBufferedBytes,
      max_executions: limits.maxExecutions,
      max_executions_per_host: limits.maxExecutionsPerHost,
      max_wait_ms: limits.maxWaitMs,
      max_redirects: MAX_REDIRECTS,
      max_json_depth: MAX_JSON_DEPTH,
      max_schema_bytes: maxSchemaBytes,
      max_schema_depth: SCHEMA_LIMITS.maxDepth,
      max_schema_nodes: SCHEMA_LIMITS.maxNodes,
      schema_time_budget_ms: SCHEMA_CPU_MS,
    },
  };
}
