import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

const executor = shared(startExecutor);

/** Bodies with `URL` that are a 400 (docs/contract.md, "Bodies"). */
const BAD_ACTIONS: Readonly<Record<string, string>> = {
  'a top-level member twice': '{"method":"POST","url":"URL","method":"POST"}',
  'the body twice': '{"method":"POST","url":"URL","body":1,"body":1}',
  'the body twice, once escaped': String.raw`{"method":"POST","url":"URL","body":1,"\u0062ody":2}`,
  'a header twice': '{"method":"POST","url":"URL","headers":{"x-a":"1","x-a":"1"}}',
  'a member of a schema twice':
    '{"method":"POST","url":"URL","response_schema":{"type":"object","type":"array"}}',
  'a member deep in a body twice':
    '{"method":"POST","url":"URL","body":[{"a":{"b":1,"c":2,"b":3}}]}',
  'a member twice, blanks between': '{"method":"POST","url":"URL","body":{"a" : 1 , "a"\n: 2}}',
  '__proto__ at the top': '{"method":"POST","url":"URL","__proto__":{}}',
  '__proto__ in headers': '{"method":"POST","url":"URL","headers":{"__proto__":"1"}}',
  '__proto__ in a body': '{"method":"POST","url":"URL","body":{"a":[{"__proto__":1}]}}',
  '__proto__ in a body, escaped': String.raw`{"method":"POST","url":"URL","body":{"__pr\u006fto__":1}}`,
  '__proto__ in a schema':
    '{"method":"POST","url":"URL","response_schema":{"properties":{"__proto__":{}}}}',
  'constructor.prototype in a body':
    '{"method":"POST","url":"URL","body":{"constructor":{"prototype":1}}}',
  'a body cut short': '{"method":"POST","url":"URL","body":{"a":1}',
  'a second document': '{"method":"POST","url":"URL"}{}',
  'a leading zero': '{"method":"POST","url":"URL","body":01}',
  'a number without digits': '{"method":"POST","url":"URL","body":-}',
  'a number that ends with a dot': '{"method":"POST","url":"URL","body":1.}',
  'a number that begins with a dot': '{"method":"POST","url":"URL","body":.5}',
  'a plus sign': '{"method":"POST","url":"URL","body":+1}',
  'an exponent without digits': '{"method":"POST","url":"URL","body":1e}',
  NaN: '{"method":"POST","url":"URL","body":NaN}',
  Infinity: '{"method":"POST","url":"URL","body":[-Infinity]}',
  'a trailing comma': '{"method":"POST","url":"URL","body":[1,]}',
  'a missing comma': '{"method":"POST","url":"URL","body":[1 2]}',
  'a missing colon': '{"method":"POST","url":"URL","body":{"a" 1}}',
  'a raw line break in a string': '{"method":"POST","url":"URL","body":"a\nb"}',
  'a raw NUL in a string': '{"method":"POST","url":"URL","body":"a\0b"}',
  'an unknown escape': String.raw`{"method":"POST","url":"URL","body":"\x41"}`,
  'a short escape': String.raw`{"method":"POST","url":"URL","body":"\u12"}`,
  'single quotes': `{"method":"POST","url":"URL","body":'a'}`,
  'a comment': '{"method":"POST","url":"URL","body":1 /* one */}',
  'a bare name': '{"method":"POST","url":"URL","body":{a:1}}',
  'a closing mark of another kind': '{"method":"POST","url":"URL","body":[1}}',
  'a no-break space': '{"method":"POST","url":"URL","body":\u00a01}',
  'a byte order mark within': '{"method":"POST","url":"URL","body":\ufeff{}}',
};

const GOOD_ACTIONS: Readonly<Record<string, string>> = {
  'the same name in two objects':
    '{"method":"POST","url":"URL","body":{"method":1,"url":2,"a":{"a":{"a":1}}}}',
  'names that differ in case': '{"method":"POST","url":"URL","body":{"a":1,"A":2}}',
  'the same string as name and value':
    '{"method":"POST","url":"URL","body":{"a":"a","b":["a","a"]}}',
  'a constructor without a prototype':
    '{"method":"POST","url":"URL","body":{"constructor":{"x":1},"prototype":2}}',
  'names within strings': String.raw`{"method":"POST","url":"URL","body":"{\"a\":1,\"a\":2,\"__proto__\":3}"}`,
  '__proto__ as a value':
    '{"method":"POST","url":"URL","body":["__proto__",{"a":"constructor.prototype"}]}',
};

/** Sends an action as this text. Returns the status, the answer and the number of requests. */
async function post(text: string | Uint8Array, headers?: Record<string, string>) {
  await using upstream = await startUpstream();
  const start = `{"method":"POST","url":"${upstream.origin}","body":"`;
  const body =
    typeof text === 'string'
      ? text.replace('URL', upstream.origin)
      : new Uint8Array(Buffer.concat([Buffer.from(start), text]));
  const response = await executor().execute({}, { body, ...(headers && { headers }) });
  const sent = upstream.requests.map((request) => request.body);
  return { status: response.status, text: await response.text(), sent: sent.length, bodies: sent };
}

describe('the text of an action', () => {
  it.each(Object.entries(BAD_ACTIONS))('is refused with %s', async (_name, text) => {
    const answer = await post(text);
    expect(answer).toMatchObject({ status: 400, sent: 0 });
    expect(JSON.parse(answer.text).code).toBe('MalformedJson');
  });

  it.each(Object.entries(GOOD_ACTIONS))('is accepted with %s', async (_name, text) => {
    expect(await post(text)).toMatchObject({ status: 200, sent: 1 });
  });

  it.each([
    ['Latin-1', 'fc'],
    ['a cut character', 'e282'],
    ['an overlong slash', 'c0af'],
    ['half of a surrogate pair', 'eda080'],
    ['beyond Unicode', 'f4908080'],
    ['a lone continuation', '80'],
  ])('is refused with bytes that are not UTF-8: %s', async (_name, hex) => {
    const tail = Buffer.from(`${hex}227d`, 'hex');
    expect(await post(tail)).toMatchObject({ status: 400, sent: 0 });
  });

  const plain = '{"method":"POST","url":"URL","body":{"a":1.0}}';

  it.each([
    'application/json; charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json;charset="utf-8"',
    'APPLICATION/JSON',
  ])('is accepted as %s', async (type) => {
    expect(await post(plain, { 'content-type': type })).toMatchObject({ status: 200, sent: 1 });
  });

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/vnd.api+json', {}],
    ['application/json; charset=iso-8859-1', {}],
    ['application/json; charset=utf-16', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
    ['application/json', { 'content-encoding': 'br' }],
  ])('is a 415 with %s %j', async (type, more) => {
    const { status, sent, text } = await post(plain, { 'content-type': type, ...more });
    expect({ status, sent, code: JSON.parse(text).code }).toEqual({
      status: 415,
      sent: 0,
      code: 'UnsupportedMediaType',
    });
  });
});

describe('a number', () => {
  it.each(['9007199254740993', '1e400', '-0', '1.0'])(
    '%s is not a method, URL, header or schema',
    async (number) => {
      for (const member of [`"method":${number},"url":"URL"`, `"method":"GET","url":${number}`]) {
        expect(await post(`{${member}}`)).toMatchObject({ status: 400, sent: 0 });
      }
      for (const member of [`"headers":{"x-a":${number}}`, `"response_schema":${number}`]) {
        expect(await post(`{"method":"GET","url":"URL",${member}}`)).toMatchObject({
          status: 400,
          sent: 0,
        });
      }
    },
  );
});

/** Positions of a body in the text of an action. */
const PLACES: Readonly<Record<string, (body: string) => string>> = {
  'first of all members': (body) => `{"body":${body},"method":"POST","url":"URL"}`,
  'with blanks everywhere': (body) =>
    `\r\n{ "method" : "POST" ,\t"body" \n:\t ${body} \r\n, "url" : "URL" }\n`,
  'with its name escaped': (body) => String.raw`{"method":"POST","url":"URL","b\u006fdy":${body}}`,
  'behind a header named body': (body) =>
    String.raw`{"method":"POST","headers":{"body":"\"body\":0"},"url":"URL","body":${body}}`,
  'behind a schema that has a body': (body) =>
    `{"method":"POST","response_schema":{"properties":{"body":{}}},"url":"URL","body":${body}}`,
};

describe('a body keeps every digit', () => {
  it.each(Object.entries(PLACES))('%s', async (_name, write) => {
    const body = '[3.14159265358979323846264338328,10.10,9007199254740993,1e400]';
    expect((await post(write(body))).bodies).toEqual([body]);
  });

  it('in the response', async () => {
    const body = '{"n":1712345678123456789,"a":1.00,"a":2}';
    await using upstream = await startUpstream({ body });
    const response = await executor().execute({ method: 'GET', url: upstream.origin });
    expect(await response.text()).toContain(`"body":${body},`);
  });

  it('unless it is null, which sends no body', async () => {
    expect((await post('{"method":"POST","url":"URL","body":null}')).bodies).toEqual(['']);
  });
});
