import { describe, expect, it } from 'vitest';
import { headerRules } from '../../src/secrets/header-names.ts';

/** Names of headers that docs/executor-security.md, "Redaction", counts as credentials. */
const CREDENTIALS = (
  'Authorization proxy-authorization Cookie2 set-cookie x-goog-api-key x_api_key x-auth-token ' +
  'x-amz-security-token x-csrf-token x-client-secret x-session-id x-hub-signature-256 ' +
  'private-token x-serverless-authorization x-ms-authorization-auxiliary x-honeycomb-team ' +
  'x-github-otp cb-access-passphrase cb-access-sign x-vault-secret-id ocp-apim-subscription-key ' +
  'x-password-reset-token x-amz-meta-key x-jwt-assertion x-one-time-code one-time-password ' +
  'sign pwd x-pwd passwd x-passwd dd-application-key x-shopify-hmac-sha256 stripe-signature x-slack-signature x-plex-token ' +
  'x-hasura-admin-secret aeg-sas-key x-zumo-auth ok-access-sign circle-token sec-websocket-key ' +
  'cf-access-jwt-assertion x-amz-server-side-encryption-customer-key ' +
  // Names that almost match one of the exceptions in `SHOWN_NAMES`.
  'x-access-control-token x-token-counter x-token-discount x-token-unlimited x-token-limits-b ' +
  'x-limit-token x-limit-tokens-b noutput-tokens-b x-tokens token-type-b x-xpage-token ' +
  'page-token-b x-page-tokens x-xcache-key cache-key-auth x-token-xtype x-token-user-b ' +
  'x-csrf-idx session-id secret-id x-session_id x-token-nexpiry x-output-tokens-b ' +
  'x-token-status-b x-authentication x-docusign-authentication accesskey x-authkey x-jfrog-art-api x-wsse ' +
  'x-sms-code auth apikey key otp bearer dpop'
).split(' ');

const PLAIN = (
  'accept content-type etag location www-authenticate x-request-id x-author link ' +
  'access-control-allow-credentials x-ms-continuationtoken x-next-page-token num_tokens ' +
  'x-rate-limit-remaining-tokens x-ratelimit-limit-tokens x-amzn-bedrock-input-token-count ' +
  'surrogate-key idempotency-key x-secret-scanning x-auth-email x-api-key-id ' +
  'x-token-expires-in keynote x-key-server hmacs signal x-assign spin topotp dpop-b forbearer ' +
  'authentication-info a-authentication-b x-reasoning-tokens x-nextpagetoken a-x-auth-b x-honeycomb-team-b x-keys monkey oauth ' +
  'x-oauth-scopes github-authentication-token-expiration kc-api-key-version dpop-nonce ' +
  'x-acs-signature-nonce signature-input x-csrf-token-required x-generated-tokens ' +
  'x-slack-shared-secret-outcome limit-tokens x-token-limit api-key-scope x-token-user ' +
  'ratelimit-token next-token x-token-expire a-x-honeycomb-team'
).split(' ');

describe('a credential header', () => {
  const { isCredential } = headerRules({
    redactedHeaders: ['X-Internal'],
    shownHeaders: ['Mcp-Session-Id'],
  });

  it.each([...CREDENTIALS, 'x-internal', 'X-INTERNAL'])('is %s', (name) => {
    expect(isCredential(name)).toBe(true);
  });

  it.each([...PLAIN, 'x-internal-note', 'mcp-session-id'])('is not %s', (name) => {
    expect(isCredential(name)).toBe(false);
  });
});

describe('in strict mode', () => {
  const { isShown } = headerRules({ headerMode: 'strict', shownHeaders: ['x-own'] });

  it('only some headers are shown, unlike in the mode `all`', () => {
    expect(isShown('x-other')).toBe(false);
    expect(headerRules().isShown('x-other')).toBe(true);
  });

  it.each([
    'age cache-control content-type etag ratelimit-limit x-ratelimit-reset x-request-id x-own',
    'location retry-after x-total-count',
  ])('%s are shown', (names) => {
    for (const name of names.split(' ')) expect(isShown(name), name).toBe(true);
  });

  it.each([
    'x-other a-ratelimit a-age ages a-content-type content-types a-date dates',
    'a-x-request-id x-request-id-b x-own-b',
  ])('%s are not shown', (names) => {
    for (const name of names.split(' ')) expect(isShown(name), name).toBe(false);
  });
});
