import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

const executor = shared(startExecutor);

/**
 * Request bodies that must get a 400 (docs/contract.md, "Bodies"). `post` replaces `URL` with the
 * address of the upstream.
 */
const BAD_ACTIONS: Readonly<Record<string, string>> = {
  'a top-level member twice': '{"method":"POST","url":"URL","method":"POST"}',
  'the body twice, once escaped': String.raw`{"method":"POST","url":"URL","body":1,"\u0062ody":2}`,
  'a header twice': '{"method":"POST","url":"URL","headers":{"x-a":"1","x-a":"1"}}',
  'a member of a schema twice':
    '{"method":"POST","url":"URL","response_schema":{"type":"object","type":"array"}}',
  'a member deep in a body twice':
    '{"method":"POST","url":"URL","body":[{"a":{"b":1,"c":2,"b":3}}]}',
  '__proto__ in headers': '{"method":"POST","url":"URL","headers":{"__proto__":"1"}}',
  '__proto__ in a body': '{"method":"POST","url":"URL","body":{"a":[{"__proto__":1}]}}',
  'constructor.prototype in a body':
    '{"method":"POST","url":"URL","body":{"constructor":{"prototype":1}}}',
  'a body cut short': '{"method":"POST","url":"URL","body":{"a":1}',
  'a leading zero in its body': '{"method":"POST","url":"URL","body":01}',
};

/**
 * Sends this text as an action, or an action that ends with these bytes. Returns the answer and the
 * requests that the upstream received.
 */
async function post(text: string | Uint8Array) {
  await using upstream = await startUpstream();
  const start = `{"method":"POST","url":"${upstream.origin}","body":"`;
  const body =
    typeof text === 'string'
      ? text.replace('URL', upstream.origin)
      : new Uint8Array(Buffer.concat([Buffer.from(start), text]));
  const response = await executor().execute({}, { body });
  const sent = upstream.requests.map((request) => request.body);
  return { status: response.status, text: await response.text(), sent: sent.length, bodies: sent };
}

describe('the text of an action', () => {
  it.each(Object.entries(BAD_ACTIONS))('is refused with %s', async (_name, text) => {
    const answer = await post(text);
    expect(answer).toMatchObject({ status: 400, sent: 0 });
    expect(JSON.parse(answer.text).code).toBe('MalformedJson');
  });

  it.each([
    ['Latin-1', 'fc'],
    ['a truncated character', 'e282'],
    ['an overlong slash', 'c0af'],
    ['half of a surrogate pair', 'eda080'],
    ['above the last code point', 'f4908080'],
    ['a lone continuation byte', '80'],
  ])('is refused with bytes that are not UTF-8: %s', async (_name, hex) => {
    const tail = Buffer.from(`${hex}227d`, 'hex');
    expect(await post(tail)).toMatchObject({ status: 400, sent: 0 });
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
    expect(await response.text()).toContain(`"body":${body}}`);
  });

  it('unless it is null, which sends no body', async () => {
    expect((await post('{"method":"POST","url":"URL","body":null}')).bodies).toEqual(['']);
  });
});
