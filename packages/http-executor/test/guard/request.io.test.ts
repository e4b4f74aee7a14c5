import { METHODS } from '@gatehouse/contracts';
import { JsonText } from '@gatehouse/contracts/json';
import { shared } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startExecutor } from '../support/executor.ts';
import { startSite } from '../support/site.ts';

const executor = shared(startExecutor);
const site = shared(startSite);

/** Sends an action and returns the request that arrived. */
async function arrived(action: object, suffix = '') {
  const url = site().serve({});
  await executor().success({ method: 'POST', url: url + suffix, ...action });
  const [request] = site().received(url);
  if (request === undefined) throw new Error('nothing arrived');
  return request;
}

describe('a request', () => {
  it('has the method in upper case, and the URL without its fragment', async () => {
    for (const method of METHODS)
      for (const written of [method, method.toLowerCase(), `${method[0]}${method.slice(1)}`]) {
        const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
        const path = `/a/b?c=d&c=%20e${isRead ? '#part' : ''}`;
        const received = await arrived({ method: written }, path);
        expect(received).toMatchObject({ method, body: '' });
        expect(received.url).toMatch(/^\/\d+\/a\/b\?c=d&c=%20e$/);
      }
  });

  it('asks for no compression of a range, and accepts an own `identity`', async () => {
    const codings = async (headers: Record<string, string>) =>
      (await arrived({ method: 'GET', headers })).headers['accept-encoding'];
    expect(await codings({})).toBe('gzip, br');
    expect(await codings({ 'accept-encoding': 'zstd' })).toBe('gzip, br');
    expect(await codings({ 'accept-encoding': 'identity' })).toBe('identity');
    expect(await codings({ range: 'bytes=0-99' })).toBe('identity');
    expect(await codings({ range: 'bytes=0-99', 'accept-encoding': 'gzip' })).toBe('identity');
  });

  it('sends the JSON of AWS as a string under the type of AWS', async () => {
    const headers = { 'content-type': 'application/x-amz-json-1.1' };
    const { body, headers: sent } = await arrived({ headers, body: '{"TableName":"a"}' });
    expect([body, sent['content-type']]).toEqual(['{"TableName":"a"}', headers['content-type']]);
  });

  it('treats null like a missing member', async () => {
    for (const method of METHODS) {
      const nulls = { headers: null, body: null, response_schema: null, response_type: null };
      const received = await arrived({ method, ...nulls });
      expect(received.body).toBe('');
      expect(received.headers).not.toHaveProperty('content-type');
    }
  });

  it('has the headers of the action and those of the executor', async () => {
    const given = { Authorization: 'Bearer abc', Cookie: 'a=b', 'X-Note': ' a\tb ', 'X-Empty': '' };
    const { headers } = await arrived({ method: 'GET', headers: given });
    expect(headers).toEqual({
      authorization: 'Bearer abc',
      cookie: 'a=b',
      'x-note': 'a\tb',
      'x-empty': '',
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      'user-agent': 'gatehouse-executor',
      host: new URL(site().origin).host,
      connection: 'keep-alive',
    });
  });

  it('prefers the headers of the action, except `accept-encoding`', async () => {
    const charsets = { Accept: 'text/csv;charset=latin1', 'Accept-Charset': 'latin1' };
    const own = { ...charsets, 'User-Agent': 'me', constructor: 'a', tostring: 'b' };
    const { headers } = await arrived({ headers: { ...own, 'Accept-Encoding': 'zstd' } });
    expect(headers).toMatchObject({
      accept: 'text/csv;charset=latin1',
      'accept-charset': 'latin1',
      'user-agent': 'me',
      constructor: 'a',
      tostring: 'b',
      'accept-encoding': 'gzip, br',
    });
  });
});

const FORM = 'application/x-www-form-urlencoded';
const FORMS = [FORM, 'Application/X-WWW-Form-Urlencoded', `${FORM}; charset=UTF-8`];
const JSON_TYPES = [
  ...['application/json', 'Application/JSON ; charset=utf-8', 'application/problem+json'],
  ...['application/vnd.api+json', 'application/json; charset=iso-8859-1'],
];
const RAW_TYPES = [
  ...['text/plain', 'text/plain; charset=utf-8', 'TEXT/CSV', 'application/xml', 'text/xml'],
  ...['application/soap+xml', 'application/graphql', 'application/x-ndjson', 'application/yaml'],
  ...['application/octet-stream', 'application/jsonx', 'text/plain; x=y ; Charset = "UTF8"'],
];

/** Content types, a body as JSON, and the bytes that are sent. */
const SENT: [name: string, types: string[], json: string, sent: string][] = [
  ['JSON', JSON_TYPES, '{"a":[1.00,1e400]}', '{"a":[1.00,1e400]}'],
  ['a string as JSON', JSON_TYPES, '"a \\u00e9"', '"a \\u00e9"'],
  ['half a pair as JSON', JSON_TYPES, '"\\ud800"', '"\\ud800"'],
  ['text', RAW_TYPES, '"plain"', 'plain'],
  ['text in other scripts', RAW_TYPES, '"café – 😀 \\ud83d\\ude00"', 'café – 😀 😀'],
  ['text with marks', RAW_TYPES, '"a\\r\\n\\"b\\"\\t\\u0000\\\\n"', 'a\r\n"b"\t\0\\n'],
  ['an escaped backslash', RAW_TYPES, '"\\\\ud800"', '\\ud800'],
  ['text that looks like JSON', RAW_TYPES, '"{\\"n\\": 1.0}\\n"', '{"n": 1.0}\n'],
  ['a byte order mark', RAW_TYPES, '"\\ufeffx"', '\ufeffx'],
  ['nothing at all', RAW_TYPES, '""', ''],
  ['a long text', ['text/plain'], `"${'long é'.repeat(50_000)}"`, 'long é'.repeat(50_000)],
  ['parts that are written out', ['multipart/mixed; boundary=b'], '"--b\\r\\n"', '--b\r\n'],
  ['ASCII in a charset that agrees on it', ['text/plain; charset=ISO-8859-1'], '"e"', 'e'],
  ['a form made by hand', FORMS, '"a=1&b=%20+%2f&a=2"', 'a=1&b=%20+%2f&a=2'],
  ['a string that is not a form', FORMS, '"\\u00e9 é"', 'é é'],
  ['an empty form', FORMS, '{}', ''],
  [
    'marks of forms',
    FORMS,
    '{"q&a":"1=2&3+4%","p%20":"#?/"}',
    'q%26a=1%3D2%263%2B4%25&p%2520=%23%3F%2F',
  ],
  ['other marks of forms', FORMS, '{"a":"~!()*\'-._"}', 'a=%7E%21%28%29*%27-._'],
  ['escapes in a form', FORMS, '{"\\u0061":"\\u00e9\\n\\/"}', 'a=%C3%A9%0A%2F'],
  [
    'digits in a form',
    FORMS,
    '{"id":9007199254740993,"n":1.0,"e":1E5,"z":-0,"big":1e400}',
    'id=9007199254740993&n=1.0&e=1E5&z=-0&big=1e400',
  ],
  [
    'scalars and lists in a form',
    FORMS,
    '{"t":true,"n":[1.0,2,false],"e":[]}',
    't=true&n=1.0&n=2&n=false',
  ],
  [
    'names in odd order',
    FORMS,
    '{"2":"b","1":"a","":"x","e":"","constructor":"c"}',
    '2=b&1=a&=x&e=&constructor=c',
  ],
  [
    'brackets in names',
    FORMS,
    '{"items[0][price]":"p","expand[]":["a"]}',
    'items%5B0%5D%5Bprice%5D=p&expand%5B%5D=a',
  ],
];

describe('the body of a request', () => {
  it.each(SENT)('%s', async (_name, types, json, sent) => {
    for (const type of types) {
      const body = new JsonText(json);
      const received = await arrived({ headers: { 'Content-Type': type }, body });
      expect([type, received.body]).toEqual([type, sent]);
      expect(received.headers['content-type']).toBe(type.trim());
      expect(received.headers['content-length']).toBe(`${Buffer.byteLength(sent)}`);
    }
  });

  it('is JSON if its type is missing or blank, with any method', async () => {
    for (const headers of [{}, { 'content-type': ' ' }])
      for (const method of METHODS.filter((each) => each !== 'HEAD')) {
        const received = await arrived({ method, headers, body: { a: 'ü' } });
        expect(received.body).toBe('{"a":"ü"}');
        expect(received.headers['content-type']).toBe('application/json');
      }
  });

  it('may have 256 levels', async () => {
    const deep = '['.repeat(256) + ']'.repeat(256);
    expect((await arrived({ body: new JsonText(deep) })).body).toBe(deep);
  });

  const string = fc.string({ unit: 'grapheme' });
  const scalar = fc.oneof(string, fc.integer(), fc.boolean());
  const fields = fc.dictionary(string, fc.oneof(scalar, fc.array(scalar)));
  /** JSON with all non-ASCII characters escaped. */
  const escaped = (json: string) =>
    json.replace(
      /[^\x20-\x7e]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );

  it('is the same form that URLSearchParams writes', async () => {
    const law = fc.asyncProperty(fields, async (object) => {
      const expected = new URLSearchParams();
      for (const [name, value] of Object.entries(object))
        for (const item of [value].flat()) expected.append(name, String(item));
      const json = JSON.stringify(object);
      for (const written of [json, escaped(json)]) {
        const action = { headers: { 'content-type': FORM }, body: new JsonText(written) };
        expect((await arrived(action)).body).toBe(expected.toString());
      }
    });
    await fc.assert(law);
  });
});
