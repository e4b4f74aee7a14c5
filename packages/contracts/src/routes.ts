import { type Static, Type } from '@sinclair/typebox';
import { StrictTitled } from './schema.ts';

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
  approvals: '/policy/approvals',
  keys: '/policy/keys',
} as const;

export const EXECUTOR_PATHS = { execute: '/execute', sandbox: '/sandbox' } as const;

/** Matches a valid `x-request-id` header. Services replace an invalid id with a new one. */
export const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Body of a successful `GET /healthz` or `/readyz` response (`policy-service.md` section 2). */
export const Health = StrictTitled('Health', { status: Type.Literal('ok') });
export type Health = Static<typeof Health>;
