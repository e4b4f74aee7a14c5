import { describe, expect, it } from 'vitest';
import { redactionRules } from '../src/redact/header-rules.ts';

/** Contract section 3, "Redaction": these "and their like". */
const CREDENTIALS = [
  'authorization',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'Cookie2',
  'set-cookie',
  'x-api-key',
  'api-key',
  'apikey',
  'x_api_key',
  'x-goog-api-key',
  'x-auth-token',
  'x-access-token',
  'x-amz-security-token',
  'x-csrf-token',
  'x-xsrf-token',
  'x-client-secret',
  'x-session-id',
  'x-hub-signature-256',
  'private-token',
  'x-authorization',
  'x-serverless-authorization',
  'x-ms-authorization-auxiliary',
  'authentication',
  'x-honeycomb-team',
  'x-github-otp',
  'x-passcode',
  'cb-access-passphrase',
  'cb-access-sign',
  'x-session-cookie',
  'x-vault-secret-id',
  'ocp-apim-subscription-key',
  'x-auth-key',
  'auth',
  'x-api-auth',
  'x-password-reset-token',
  'x-signature-sha256',
];

const PLAIN = [
  'accept',
  'content-type',
  'content-length',
  'etag',
  'location',
  'retry-after',
  'www-authenticate',
  'x-request-id',
  'x-author',
  'cache-control',
  'date',
  'link',
  'access-control-allow-credentials',
  'x-ms-continuationtoken',
  'x-next-page-token',
  'x-rate-limit-remaining-tokens',
  'x-ratelimit-limit-tokens',
  'x-amzn-bedrock-input-token-count',
  'surrogate-key',
  'idempotency-key',
  'x-secret-scanning',
  'x-auth-email',
  'x-api-key-id',
  'x-token-expires-in',
];

describe('headers that hold credentials', () => {
  const { isCredential } = redactionRules('all', {
    masked: ['X-Internal'],
    shown: ['Mcp-Session-Id'],
  });

  it.each([...CREDENTIALS, 'x-internal', 'X-INTERNAL'])('%s does', (name) => {
    expect(isCredential(name)).toBe(true);
  });

  it.each([...PLAIN, 'x-internal-note', 'mcp-session-id'])('%s does not', (name) => {
    expect(isCredential(name)).toBe(false);
  });
});
