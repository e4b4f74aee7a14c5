/** Paths that both services serve. */
export const SERVICE_PATHS = {
  health: '/healthz',
  ready: '/readyz',
  problems: '/problems',
  openapi: '/openapi.json',
  docs: '/docs',
  metrics: '/metrics',
} as const;

export const POLICY_PATHS = {
  check: '/policy/check',
  batch: '/policy/check/batch',
  profile: '/policy/profile',
} as const;

export const EXECUTOR_PATHS = { execute: '/execute', sandbox: '/sandbox' } as const;
