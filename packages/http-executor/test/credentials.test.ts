import { describe, expect, it } from 'vitest';
import { redactionRules } from '../src/index.ts';

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
];

describe('headers that hold credentials', () => {
  const { isCredential } = redactionRules('all', ['X-Internal']);

  it.each([...CREDENTIALS, 'x-internal', 'X-INTERNAL'])('%s does', (name) => {
    expect(isCredential(name)).toBe(true);
  });

  it.each([...PLAIN, 'x-internal-note'])('%s does not', (name) => {
    expect(isCredential(name)).toBe(false);
  });
});
