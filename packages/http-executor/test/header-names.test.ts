import { describe, expect, it } from 'vitest';
import { redactionRules } from '../src/index.ts';

/** Names of headers that docs/contract.md, "Redaction", counts as credentials. */
const CREDENTIALS = [
  ...(
    'authorization Authorization proxy-authorization cookie Cookie2 set-cookie x-api-key ' +
    'api-key apikey x_api_key x-goog-api-key x-auth-token x-access-token ' +
    'x-amz-security-token x-csrf-token x-xsrf-token x-client-secret x-session-id ' +
    'x-hub-signature-256 private-token x-authorization x-serverless-authorization ' +
    'x-ms-authorization-auxiliary authentication x-honeycomb-team x-github-otp x-passcode ' +
    'cb-access-passphrase cb-access-sign x-session-cookie x-vault-secret-id ' +
    'ocp-apim-subscription-key x-auth-key auth x-api-auth x-password-reset-token ' +
    'x-signature-sha256 x-key auth-key key x-amz-meta-key pwd x-pwd pwd-x sign sign-x sig ' +
    'x-sig-b hmac hmac-x x-passwd passwd x-password otp x-otp-code totp mfa x-2fa-code pin ' +
    'x-pin-b bearer x-bearer dpop x-dpop x-jwt x-jwt-assertion x-one-time-code ' +
    'one-time-password x-authentication x-auth-x x-auth authority-auth x-a-auth x_auth_x ' +
    'X_API_KEY'
  ).split(' '),
  // From the documentation of services.
  ...(
    'dd-application-key x-shopify-hmac-sha256 x-shopify-access-token stripe-signature ' +
    'signature x-slack-signature x-twilio-signature svix-signature x-line-signature ' +
    'x-vault-token x-gitlab-token x-plex-token x-rapidapi-key x-hasura-admin-secret ' +
    'x-parse-session-token x-appwrite-jwt aeg-sas-key x-functions-key x-zumo-auth ' +
    'ok-access-sign x-bapi-sign apca-api-secret-key x-octopus-apikey circle-token ' +
    'cf-access-jwt-assertion x-amz-server-side-encryption-customer-key sec-websocket-key ' +
    'x-goog-iam-authorization-token'
  ).split(' '),
  // Names that almost match one of the exceptions in `SHOWN_NAMES`.
  ...(
    'x-access-control-token x-token-counter x-token-discount x-token-unlimited ' +
    'x-token-limits-b x-limit-token x-remaining-token x-limit-tokens-b output-tokens-b ' +
    'noutput-tokens-b x-tokens token-type-b x-xpage-token page-token-b x-page-tokens ' +
    'x-xcache-key cache-key-auth x-token-xtype x-token-xstatus token-status-b x-token-xuser ' +
    'x-token-user-b x-token-xname x-csrf-idx session-id secret-id x-session_id ' +
    'x-token-nexpiry'
  ).split(' '),
];

const PLAIN = [
  ...(
    'accept content-type content-length etag location retry-after www-authenticate ' +
    'x-request-id x-author cache-control date link access-control-allow-credentials ' +
    'x-ms-continuationtoken x-next-page-token x-rate-limit-remaining-tokens ' +
    'x-ratelimit-limit-tokens x-amzn-bedrock-input-token-count surrogate-key ' +
    'idempotency-key x-secret-scanning x-auth-email x-api-key-id x-token-expires-in keynote ' +
    'x-key-server hmacs x-signs signal x-assign pwds x-pins spin topotp dpop-b bearer-b ' +
    'forbearer authentication-info x-authentication-info a-authentication a-x-auth-b ' +
    'x-authx a-x-honeycomb-team x-honeycomb-team-b x-keys monkey oauth'
  ).split(' '),
  // From the documentation of services.
  ...(
    'x-oauth-scopes github-authentication-token-expiration ' +
    'anthropic-ratelimit-tokens-remaining x-amzn-bedrock-output-token-count apca-api-key-id ' +
    'kc-api-key-version x-acs-signature-nonce x-auth-request-user x-auth-request-email ' +
    'signature-input dpop-nonce access-control-max-age x-csrf-token-required ' +
    'ratelimit-tokens x-rate-limit-tokens x-ratelimit-token num_tokens ' +
    'x-slack-shared-secret-outcome x-generated-tokens'
  ).split(' '),
];

/** Endings of names whose values only describe, count or identify a credential. */
const DESCRIBING =
  'count counts limit limits remaining reset usage used expire expires expired expiry expiration ' +
  'expires-in ttl type algorithm timestamp nonce version method status policy scanning required ' +
  'consent scope scopes hint input outcome fields user users username email realm name id';

const COUNTING = 'limit remaining num input output prompt completion generated cached max total';
const PAGING = 'next page paging pagination continuation cursor resume sync';
const KEYS = 'idempotency surrogate cache partition routing sort deduplication';

describe('a credential header', () => {
  const { isCredential } = redactionRules('all', {
    masked: ['X-Internal'],
    shown: ['Mcp-Session-Id'],
  });

  it.each([...CREDENTIALS, 'x-internal', 'X-INTERNAL'])('is %s', (name) => {
    expect(isCredential(name)).toBe(true);
  });

  it.each([...PLAIN, 'x-internal-note', 'mcp-session-id'])('is not %s', (name) => {
    expect(isCredential(name)).toBe(false);
  });

  it('does not have a name that describes, counts, pages or identifies', () => {
    const names = [
      ...DESCRIBING.split(' ').flatMap((word) => [`x-token-${word}`, `X_TOKEN_${word}`]),
      ...COUNTING.split(' ').flatMap((word) => [`${word}-tokens`, `x-${word}-tokens`]),
      ...PAGING.split(' ').flatMap((word) => [`${word}-token`, `${word}token`, `x-${word}-token`]),
      ...KEYS.split(' ').flatMap((word) => [`${word}-key`, `${word}key`, `x-${word}-key`]),
    ];
    expect(names.filter(isCredential)).toEqual([]);
  });

  it('is recognised among any number of names', () => {
    for (let n = 0; n < 1_100; n++) {
      expect(isCredential(`x-token-${n}`)).toBe(true);
      expect(isCredential(`x-plain-${n}`)).toBe(false);
    }
  });
});
