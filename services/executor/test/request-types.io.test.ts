import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { BAD_ACTIONS, GOOD_ACTIONS } from './support/action-texts.ts';
import { startExecutor } from './support/executor.ts';
import { FORM_BODIES, JSON_STRINGS, RAW_BODIES, UNSENDABLE } from './support/request-bodies.ts';
import { startSite } from './support/site.ts';
import { actionText, executeText } from './support/wire.ts';

const executor = shared(startExecutor);
const site = shared(startSite);

/** Sends a body under a content type: what the executor says, and what arrived. */
async function sendAs(type: string, body: string) {
  const url = site().serve({});
  const answer = await executeText(
    executor(),
    actionText({ url, headers: { 'Content-Type': type }, body }),
  );
  return { ...answer, arrived: site().received(url) };
}

describe('contract, "Request body": a form', () => {
  it.each(FORM_BODIES)('of an object: $name', async ({ types, body, fields }) => {
    for (const type of types) {
      const { status, text, arrived } = await sendAs(type, body);
      expect({ status, type, text }).toEqual({ status: 200, type, text: expect.anything() });
      expect(arrived[0]?.headers['content-type']).toBe(type);
      expect([...new URLSearchParams(arrived[0]?.body)], arrived[0]?.body).toEqual(fields);
      // Everything but the marks of a form itself is escaped.
      expect(arrived[0]?.body).toMatch(/^[\w.*%+=&~!'()-]*$/);
    }
  });
});

describe('contract, "Request body": as it is', () => {
  it.each([...RAW_BODIES, ...JSON_STRINGS])('$name', async ({ types, body, bytes }) => {
    for (const type of types) {
      const { status, arrived } = await sendAs(type, body);
      expect({ type, status, sent: arrived[0]?.body }).toEqual({
        type,
        status: 200,
        sent: bytes,
      });
      expect(arrived[0]?.headers['content-type']).toBe(type);
    }
  });
});

describe('contract, "Request body": what cannot be sent is a 400 that says so', () => {
  it.each(UNSENDABLE)('$name under $types.0', async ({ types, body }) => {
    for (const type of types) {
      const { status, text, arrived } = await sendAs(type, body);
      expect({ type, status, sent: arrived.length }).toEqual({ type, status: 400, sent: 0 });
      const { code, errors } = JSON.parse(text);
      expect({ code, pointer: errors?.[0]?.pointer }).toEqual({
        code: 'InvalidAction',
        pointer: expect.stringMatching(/^\/body/),
      });
    }
  });
});

const post = async (text: string | Uint8Array, headers?: Record<string, string>) => {
  const url = site().serve({});
  const bytes =
    typeof text === 'string'
      ? text.replace('URL', url)
      : Buffer.concat([Buffer.from(start(url)), text]);
  const answer = await executeText(executor(), bytes, headers);
  return { status: answer.status, text: answer.text, sent: site().received(url).length };
};
const start = (url: string) => `{"method":"POST","url":"${url}","body":"`;

describe('contract, "Bodies": the text of an action', () => {
  it.each(Object.entries(BAD_ACTIONS))('is refused with %s', async (_name, text) => {
    const answer = await post(text);
    expect(answer).toMatchObject({ status: 400, sent: 0 });
    expect(JSON.parse(answer.text).code).toBe('MalformedJson');
  });

  it.each(Object.entries(GOOD_ACTIONS))('is taken with %s', async (_name, text) => {
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
  ])('is taken as %s', async (type) => {
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
  ])('is a 415 as %s %j', async (type, more) => {
    const { status, sent, text } = await post(plain, { 'content-type': type, ...more });
    expect({ status, sent, code: JSON.parse(text).code }).toEqual({
      status: 415,
      sent: 0,
      code: 'UnsupportedMediaType',
    });
  });
});

describe('contract, "Numbers": what has to be something else', () => {
  it.each(['9007199254740993', '1e400', '-0', '1.0'])(
    '%s is no method, URL, header or schema',
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
