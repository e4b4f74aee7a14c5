import { JsonText } from '@gatehouse/contracts/json';
import { shared } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { startSite } from './support/site.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));
const site = shared(startSite);

const raw = String.raw;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const MAX_DEPTH = 256;

/**
 * JSON documents that are large or deep, or that would change if they were parsed and written
 * again.
 */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'a nanosecond timestamp': '{"time":1712345678123456789}',
  'integers around 2^53 and 2^64':
    '[9007199254740991,9007199254740993,-9007199254740993,18446744073709551615]',
  'decimals longer than a double': '[3.14159265358979323846264338328,0.30000000000000004,10.10]',
  'zeros and exponents': '[0,-0,0.0,-0.0,0e0,1E5,1e+05,1E-05,1.0,1e-400]',
  'an integer of 309 digits': `1${'0'.repeat(308)}`,
  'names like numbers, in odd order': '{"2":"b","1":"a","10":"c","01":"d"}',
  'names like those of Object': '{"constructor":1,"toString":2,"hasOwnProperty":{"length":0}}',
  'names in other scripts and normal forms': '{"é":1,"e\u0301":2,"ключ":3,"🔑":4,"":5}',
  'names that look like an outcome': '{"outcome":"failure","body":{"body":[]},"attempts":9}',
  escapes: raw`["\u00e9","\u00E9","é","\/","/","\b\f\n\r\t\"\\","\u0000","\u2028"]`,
  'surrogates, alone and in pairs': raw`["\ud800","\udc00\ud800","\ud83d\ude00","😀"]`,
  'JSON within JSON': raw`{"log":"{\"a\":\"b\\\"c\",\"n\":1.0}"}`,
  'percent escapes and entities': '["%41%2f+","a=b&c=%20d","&amp;&#65;","aGVsbG8="]',
  'blanks between tokens': '{ "a" :\t[ 1 ,\r\n2.0 , { } , [ ] ] }',
  'scalars: a string': '"text"',
  'scalars: a boolean': 'false',
  [`${MAX_DEPTH} levels`]: nested(MAX_DEPTH),
  '300 KB of points': `[${Array.from({ length: 5_000 }, (_, n) => `{"t":1712345678123456${n},"v":${n}.0,"é":"\\u00e9"}`).join()}]`,
};

const BEYOND_DOUBLES = { '1e400': '1e400', '-1E+999 within': '[{"a":-1E+999}]' };
/** JSON that is allowed in an answer, but not in an action. */
const REPEATED = {
  'a repeated member': '{"a":1,"b":{},"a":2}',
  'a repeated member, once escaped': raw`{"rows":[{"a":1,"\u0061":2}]}`,
  '__proto__, repeated': '{"__proto__":1,"__proto__":{"x":2}}',
};
const PROTOTYPES = {
  __proto__: '[{"__proto__":{"admin":true}}]',
  'constructor.prototype': '{"constructor":{"prototype":{"x":1}}}',
};

const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no credential': {},
  'a credential': {
    authorization: 'Bearer Zq7-pX2vK9mW4tR8yB1nC6dF3gH5jL0s',
    cookie: 'sid=Kx82hhqPz0',
  },
};

// docs/contract.md, "Pass-through".
describe.each(Object.entries(HEADERS))('with %s', (_name, headers) => {
  const answerTo = (body: string, response_schema?: object, status = 200) =>
    executor().text({
      method: 'GET',
      url: site().serve({ status, body }),
      headers,
      response_schema,
    });

  it('an answer reaches the caller byte by byte', async () => {
    const all = { ...DOCUMENTS, ...BEYOND_DOUBLES, ...REPEATED, ...PROTOTYPES };
    for (const [name, body] of Object.entries(all))
      for (const status of [200, 404, 503])
        expect(await answerTo(body, undefined, status), name).toContain(`"body":${body}`);
  });

  it('a schema does not change the body', async () => {
    for (const [name, body] of Object.entries({ ...DOCUMENTS, ...PROTOTYPES })) {
      const answer = await answerTo(body, {});
      expect(answer, name).toMatch(/^\{"outcome":"success"/);
      expect(answer, name).toContain(`"body":${body}`);
    }
  });

  it('a schema fails JSON that parsers disagree on, and the body is unchanged', async () => {
    for (const [name, body] of Object.entries({ ...BEYOND_DOUBLES, ...REPEATED })) {
      const answer = await answerTo(body, {});
      expect(answer, name).toMatch(/^\{"outcome":"failure","error":"SchemaValidationFailed"/);
      expect(answer, name).toContain(`"body":${body}`);
    }
  });

  it('the body of an action reaches the upstream byte by byte, on each attempt', async () => {
    for (const [name, body] of Object.entries({ ...DOCUMENTS, ...BEYOND_DOUBLES })) {
      const target = site().serve({ status: 503 }, {});
      const url = site().serve({ status: 307, headers: { location: target } });
      await executor().outcome({ method: 'PUT', url, headers, body: new JsonText(body) });
      const arrived = [...site().received(url), ...site().received(target)];
      expect(
        arrived.map((request) => request.body),
        name,
      ).toEqual([body, body, body, body]);
      for (const request of arrived)
        expect(request.headers['content-length']).toBe(`${Buffer.byteLength(body)}`);
    }
  });

  it('any JSON passes unchanged in both directions', async () => {
    const law = fc.asyncProperty(fc.json(), fc.boolean(), async (json, blanks) => {
      const text = blanks ? JSON.stringify(JSON.parse(json), null, '\t') : json;
      const url = site().serve({ body: text });
      const body = new JsonText(text);
      const answer = await executor().text({ method: 'POST', url, headers, body });
      expect(answer).toContain(`"body":${text.trim()}}`);
      expect(site().received(url)[0]?.body).toBe(text);
    });
    await fc.assert(law, { numRuns: 300 });
  });
});

it('a violation names the place of a number that a double cannot represent', async () => {
  const url = site().serve({ body: '{"list":[{"n":1},{"n":1e400}]}' });
  expect(await executor().failure({ method: 'GET', url, response_schema: {} })).toMatchObject({
    error: 'SchemaValidationFailed',
    violations: [{ path: '/list/1/n' }],
  });
});
