import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { startSite } from './support/site.ts';
import { actionText, executeText } from './support/wire.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));
const site = shared(startSite);

const raw = String.raw;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const MAX_DEPTH = 256;

/** JSON that reading and writing it would change, or that is large or deep. */
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
/** An upstream may answer these, but no action may hold them. */
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

/** The bytes of a text, one character for each, as `executeText` returns an answer. */
const bytesOf = (text: string) => Buffer.from(text).toString('latin1');

// Contract section 3, "Pass-through".
describe.each(Object.entries(HEADERS))('with %s', (_name, headers) => {
  const answerTo = async (body: string, schema?: object, status = 200) => {
    const url = site().serve({ status, body });
    return (await executeText(executor(), actionText({ url, headers, schema }))).text;
  };

  it.each(Object.entries({ ...DOCUMENTS, ...BEYOND_DOUBLES, ...REPEATED, ...PROTOTYPES }))(
    'an answer reaches the caller byte by byte: %s',
    async (_document, body) => {
      const member = `"body":${bytesOf(body)}`;
      expect(await answerTo(body)).toContain(member);
      expect(await answerTo(body, undefined, 404)).toContain(member);
      expect(await answerTo(body, undefined, 503)).toContain(member);
    },
  );

  it.each(Object.entries({ ...DOCUMENTS, ...PROTOTYPES }))(
    'a schema leaves it as it is: %s',
    async (_document, body) => {
      const answer = await answerTo(body, {});
      expect(answer).toMatch(/^\{"outcome":"success"/);
      expect(answer).toContain(`"body":${bytesOf(body)}`);
    },
  );

  it.each(Object.entries({ ...BEYOND_DOUBLES, ...REPEATED }))(
    'a schema fails what validators would disagree on: %s',
    async (_document, body) => {
      const answer = await answerTo(body, {});
      expect(answer).toMatch(/^\{"outcome":"failure","error":"SchemaValidationFailed"/);
      expect(answer).toContain(`"body":${bytesOf(body)}`);
    },
  );

  it.each(Object.entries({ ...DOCUMENTS, ...BEYOND_DOUBLES }))(
    'the body of an action reaches the upstream byte by byte, on each attempt: %s',
    async (_document, body) => {
      const target = site().serve({ status: 503 }, {});
      const url = site().serve({ status: 307, headers: { location: target } });
      await executeText(executor(), actionText({ url, method: 'PUT', headers, body, schema: {} }));
      const arrived = [...site().received(url), ...site().received(target)];
      expect(arrived.map((request) => request.body)).toEqual([body, body, body, body]);
      for (const request of arrived)
        expect(request.headers).toMatchObject({
          'content-type': 'application/json',
          'content-length': `${Buffer.byteLength(body)}`,
        });
    },
  );
});

it('a violation names the place of a number that no double holds', async () => {
  const url = site().serve({ body: '{"list":[{"n":1},{"n":1e400}]}' });
  expect(await executor().failure({ method: 'GET', url, response_schema: {} })).toMatchObject({
    error: 'SchemaValidationFailed',
    violations: [{ path: '/list/1/n' }],
  });
});

it(`an answer of ${MAX_DEPTH + 1} levels is not JSON to the executor`, async () => {
  const url = site().serve({ body: nested(MAX_DEPTH + 1) });
  expect(await executor().failure({ method: 'GET', url })).toMatchObject({
    error: 'ResponseNotJson',
  });
});

it.each(Object.entries({ ...REPEATED, ...PROTOTYPES, 'too many levels': nested(MAX_DEPTH + 1) }))(
  'an action with such a body is refused: %s',
  async (_name, body) => {
    const url = site().serve({});
    const { status } = await executeText(executor(), actionText({ url, body }));
    expect({ status, sent: site().received(url) }).toEqual({ status: 400, sent: [] });
  },
);

/** Where a body may stand in the text of an action. */
const ACTIONS: Readonly<Record<string, (url: string, body: string) => string>> = {
  'first of all members': (url, body) => `{"body":${body},"method":"POST","url":"${url}"}`,
  'with blanks everywhere': (url, body) =>
    `\r\n{ "method" : "POST" ,\t"body" \n:\t ${body} \r\n, "url" : "${url}" }\n`,
  'with its name escaped': (url, body) => raw`{"method":"POST","url":"${url}","b\u006fdy":${body}}`,
  'behind a header named body': (url, body) =>
    `{"method":"POST","headers":{"body":"\\"body\\":0"},"url":"${url}","body":${body}}`,
  'behind a schema that has a body': (url, body) =>
    `{"method":"POST","response_schema":{"properties":{"body":{}}},"url":"${url}","body":${body}}`,
};

it.each(Object.entries(ACTIONS))('a body is found %s', async (_name, write) => {
  const url = site().serve({});
  const body = DOCUMENTS['decimals longer than a double'] ?? '';
  await executeText(executor(), write(url, body));
  expect(site().received(url)).toMatchObject([{ body }]);
});
