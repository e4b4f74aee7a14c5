import type { Reply } from '@gatehouse/testing';
import type { Credentials } from './credentials.ts';
import { encode } from './encodings.ts';

export interface Answer extends Reply {
  readonly statusText?: string;
}

/** Where an upstream may show what it was sent. */
export const PLACES: Readonly<Record<string, (echo: string) => Answer>> = {
  'a value': (echo) => ({ body: { a: [{ b: `<${echo}>` }] } }),
  'a key': (echo) => ({ body: { a: { [`"${echo}"`]: 1 } } }),
  'a bare string': (echo) => ({ body: JSON.stringify(echo) }),
  'JSON within JSON': (echo) => ({ body: { log: JSON.stringify({ echo }) } }),
  'the text of a 404': (echo) => ({ status: 404, body: `No: ${echo}.` }),
  'the page of a 500': (echo) => ({ status: 500, body: `<html><p title="${echo}">` }),
  'the JSON of a 401': (echo) => ({ status: 401, body: { got: echo } }),
  'a success that is not JSON': (echo) => ({ body: `token=${echo}&` }),
  'a broken JSON text': (echo) => ({ body: `{"a":${JSON.stringify(echo)}` }),
  'a text beyond what is shown': (echo) => ({ status: 404, body: `${'.'.repeat(1_990)}${echo}` }),
  'an excerpt beyond what is shown': (echo) => ({ body: `${'.'.repeat(190)}${echo}` }),
  'a header': (echo) => ({ headers: { 'x-echo': echo } }),
  'a repeated header': (echo) => ({ headers: { 'x-echo': ['a', echo] } }),
  'a header name': (echo) => ({
    headers: { [`x-${encode('URL component in upper-case hex', echo)}`]: '1' },
  }),
  'a location elsewhere': (echo) => ({
    status: 302,
    headers: { location: `http://elsewhere.test/?q=${echo}` },
  }),
  'a location of an unreachable port': (echo) => ({
    status: 307,
    headers: { location: `http://localtest.invalid/${echo}` },
  }),
  'the status text': (echo) => ({ status: 418, statusText: `No ${echo}` }),
};

/** What makes an action a 400 or 403, near the secret. */
export const FAULTS: Readonly<
  Record<string, (secret: string, headers: Credentials['headers'], own: string) => object>
> = {
  'a host off the allowlist': () => ({ url: 'http://elsewhere.test/' }),
  'a secret in the query of one': (secret) => ({
    url: `http://elsewhere.test/?t=${encodeURIComponent(secret)}`,
  }),
  'the executor itself': (_secret, _headers, own) => ({ url: own }),
  'a secret in the userinfo': (secret) => ({
    url: `http://me:${encodeURIComponent(secret)}@127.0.0.1/`,
  }),
  'a secret in a relative URL': (secret) => ({ url: secret }),
  'a control character behind it': (secret, headers) => ({
    headers: { ...headers, 'x-token': `${secret}\u0001` },
  }),
  'a header that may not be set': (secret, headers) => ({
    headers: { ...headers, 'proxy-authorization': secret },
  }),
  'a header given twice': (secret, headers) => ({
    headers: { ...headers, 'x-token': secret, 'X-Token': secret },
  }),
  'an unknown member': (secret) => ({ [secret]: 1 }),
  'a method': (secret) => ({ method: secret }),
  'a schema type': (secret) => ({ response_schema: { type: secret } }),
  'a schema pattern': (secret) => ({ response_schema: { pattern: `(${secret}(` } }),
  'a schema reference': (secret) => ({ response_schema: { $ref: `#/$defs/${secret}` } }),
  'a schema keyword': (secret) => ({ response_schema: { properties: { [secret]: { type: 1 } } } }),
};
