import { describe, expect, it } from 'vitest';
import type { Answer, Body } from '../src/decode.ts';
import { conceal, redact } from '../src/redact.ts';
import { headerRules } from '../src/secrets/header-names.ts';
import { NO_SECRETS, secretsOfCredential, secretsOfHeaders } from '../src/secrets/secrets.ts';
import {
  answerWith,
  base64Body,
  excerptBody,
  jsonBody,
  shownOf,
  textBody,
} from './support/answers.ts';

const SECRET = 'q7Rt-92xLm_Zk41vPw';
const bearer = (secret: string) =>
  secretsOfCredential({ name: 'authorization', value: `Bearer ${secret}`, secret });
const CREDENTIAL = bearer(SECRET);

describe('a credential is concealed', () => {
  it.each<[name: string, part: Partial<Answer>, expected: Partial<Answer>]>([
    ['in a header', { headers: { 'x-a': `<${SECRET}>` } }, { headers: { 'x-a': '<REDACTED>' } }],
    [
      'in a header that is repeated',
      { headers: { 'x-a': ['b', `Bearer ${SECRET}`] } },
      { headers: { 'x-a': ['b', 'Bearer REDACTED'] } },
    ],
    ['in a header name', { headers: { [`x-${SECRET}`]: '1' } }, { headers: { 'x-REDACTED': '1' } }],
    [
      'in a URL',
      { redirects: [{ status: 302, method: 'GET', url: `http://a/${SECRET}`, dropped: ['b'] }] },
      { redirects: [{ status: 302, method: 'GET', url: 'http://a/REDACTED', dropped: ['b'] }] },
    ],
    ['in a message', { messages: ['a', `b ${SECRET}`] }, { messages: ['a', 'b REDACTED'] }],
    [
      'in a violation',
      { violations: [{ pointer: `/${SECRET}`, message: `has ${SECRET}` }] },
      { violations: [{ pointer: '/REDACTED', message: 'has REDACTED' }] },
    ],
    ['in a reason', { body: withheld(`is ${SECRET}`) }, { body: withheld('is REDACTED') }],
  ])('%s', async (_name, part, expected) => {
    const answer = answerWith({ kind: 'none' }, { status: 200, headers: { a: 'b' }, ...part });
    const echoes = JSON.stringify(part).split(SECRET).length - 1;
    expect(await conceal(answer, CREDENTIAL)).toEqual({
      ...answer,
      ...expected,
      redactions: echoes,
    });
  });

  it.each<[kind: string, body: (text: string) => Body]>([
    ['JSON', (text) => jsonBody(JSON.stringify({ a: text, n: 1.5 }))],
    ['text', textBody],
    ['bytes', base64Body],
    ['an excerpt', (text) => excerptBody(text, false)],
  ])('in a body that is %s', async (_kind, body) => {
    const before = answerWith(body(`a ${SECRET} ${btoa(SECRET)}`), { redactions: 3 });
    const after = answerWith(body('a REDACTED REDACTED'), { redactions: 5 });
    expect(await conceal(before, CREDENTIAL)).toEqual(after);
  });

  it('and nothing else changes', async () => {
    const answer = answerWith(jsonBody('[1.50]'), { headers: { a: '"b"' }, messages: ['c'] });
    expect(await conceal(answer, CREDENTIAL)).toEqual(answer);
    expect(await conceal(answer, NO_SECRETS)).toBe(answer);
    const failed = answerWith({ kind: 'none' }, { messages: ['c'] });
    expect(await conceal(failed, CREDENTIAL)).toEqual(failed);
    const named = answerWith({ kind: 'none' }, { headers: { a: '1' }, messages: ['violations'] });
    const { messages } = await conceal(named, bearer('violations'));
    expect(messages).toEqual(['REDACTED']);
  });

  it('and its end is cut off with the end of an excerpt', async () => {
    const text = 'x'.repeat(1_000);
    const { body } = await conceal(answerWith(excerptBody(text, true)), CREDENTIAL);
    expect(shownOf(body)).toBe(text.slice(CREDENTIAL.longest));
    expect(CREDENTIAL.longest).toBeGreaterThan(6 * SECRET.length);
  });

  it.each<[kind: string, body: (text: string) => Body]>([
    ['JSON', (text) => jsonBody(JSON.stringify(text))],
    ['text', textBody],
    ['bytes', base64Body],
    ['text in another charset', (text) => textBody(Buffer.from(text, 'utf16le'), 'utf-16le')],
  ])('with a whole body of more than 10,000 echoes: %s', async (_kind, body) => {
    const answer = answerWith(body(`${SECRET} `.repeat(10_001)), { messages: [`a ${SECRET}`] });
    const reason = 'echoes credentials more than 10000 times';
    expect(await conceal(answer, CREDENTIAL)).toEqual(
      answerWith({ kind: 'withheld', reason }, { messages: ['a REDACTED'], redactions: 1 }),
    );
  });

  it('with everything around it if a message has more than 10,000', async () => {
    const answer = answerWith(jsonBody('1'), {
      headers: { a: 'b' },
      messages: [`${SECRET} `.repeat(10_001)],
    });
    expect(await conceal(answer, CREDENTIAL)).toEqual({
      ...answer,
      headers: { REDACTED: 'REDACTED' },
      messages: ['REDACTED'],
    });
  });
});

function withheld(reason: string): Body {
  return { kind: 'withheld', reason };
}

const UMLAUTS = 'grüße-für-Zoë';
const latin1 = (text: string) => Buffer.from(text).toString('latin1');
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const iso = (text: string) => Buffer.from(text, 'latin1');
const IRREPLACEABLE = '(withheld)';

describe('a credential is concealed in every charset', () => {
  const umlauts = bearer(latin1(UMLAUTS));
  const greek = bearer(latin1('πειραιάς'));
  const inGreek = Buffer.from([0xf0, 0xe5, 0xe9, 0xf1, 0xe1, 0xe9, 0xdc, 0xf2]);

  it.each<[name: string, body: Body, credential: typeof CREDENTIAL, expected: string]>([
    ['UTF-16 as text', textBody(utf16le(`a ${SECRET}`), 'utf-16le'), CREDENTIAL, 'a REDACTED'],
    ['UTF-16 as bytes', base64Body(utf16le(SECRET), 'utf-16le'), CREDENTIAL, IRREPLACEABLE],
    [
      'ASCII that claims to be UTF-16',
      textBody(`${SECRET}ab`, 'utf-16le'),
      CREDENTIAL,
      garbled('REDACTEDab'),
    ],
    [
      'as ASCII that is then no UTF-16',
      textBody(`${SECRET}xa`, 'utf-16le'),
      bearer(`${SECRET}x`),
      IRREPLACEABLE,
    ],
    ['UTF-8 that claims to be latin1', textBody(UMLAUTS, 'iso-8859-1'), umlauts, 'REDACTED'],
    ['latin1 as text', textBody(iso(UMLAUTS), 'iso-8859-1'), umlauts, 'REDACTED'],
    ['latin1 as bytes', base64Body(iso(UMLAUTS)), umlauts, 'REDACTED'],
    ['Greek as text', textBody(inGreek, 'iso-8859-7'), greek, 'REDACTED'],
    ['Greek as bytes', base64Body(inGreek, 'iso-8859-7'), greek, IRREPLACEABLE],
    ['UTF-8 as bytes', base64Body(UMLAUTS), umlauts, 'REDACTED'],
    ['an unknown charset as bytes', base64Body(SECRET, 'x-none'), CREDENTIAL, 'REDACTED'],
    [
      'an unknown charset as an excerpt',
      excerptBody(SECRET, false, 'x-none'),
      CREDENTIAL,
      'REDACTED',
    ],
    [
      'UTF-16 as an excerpt',
      excerptBody(utf16le(SECRET), false, 'utf-16le'),
      CREDENTIAL,
      'REDACTED',
    ],
  ])('%s', async (_name, body, credential, expected) => {
    const answer = await conceal(answerWith(body), credential);
    expect(shownOf(answer.body)).toBe(expected);
    expect(answer.redactions).toBe(expected === IRREPLACEABLE ? 0 : 1);
    if (answer.body.kind === 'withheld')
      expect(answer.body.reason).toBe(
        'echoes credentials in a charset in which they cannot be replaced',
      );
  });

  it('unless it is not there', async () => {
    for (const body of [
      textBody(utf16le('ä'), 'UTF-16LE'),
      base64Body(utf16le('ä'), 'utf-16le'),
      base64Body(Buffer.of(0xff, 0, 0xe4), 'utf8'),
      excerptBody(Buffer.of(0xff, 0, 0xe4), false),
    ]) {
      const answer = answerWith(body);
      expect(await conceal(answer, umlauts)).toEqual(answer);
    }
  });

  it('and does not come back when the body is searched again', async () => {
    const body = textBody(utf16le(`a ${SECRET} my-own-key`), 'utf-16le');
    const concealed = await conceal(answerWith(body), CREDENTIAL);
    const own = secretsOfHeaders(new Map([['x-api-key', 'my-own-key']]), () => true);
    const answer = await redact(concealed, own, headerRules());
    expect(shownOf(answer.body)).toBe('a REDACTED REDACTED');
    expect(answer.redactions).toBe(2);
  });

  it('in headers', async () => {
    const values = [latin1(UMLAUTS), UMLAUTS, encodeURIComponent(UMLAUTS)];
    const answer = answerWith({ kind: 'none' }, { headers: { 'x-a': values } });
    const { headers } = await conceal(answer, umlauts);
    expect(headers).toEqual({ 'x-a': ['REDACTED', 'REDACTED', 'REDACTED'] });
  });
});

/** Returns ASCII as decoded in UTF-16. */
function garbled(text: string): string {
  return Buffer.from(text).toString('utf16le');
}

describe('a caller learns nothing about a credential', () => {
  const rules = headerRules();
  /** Returns what a caller sees who sends `guess` as a secret. */
  const seen = async (answer: Answer, guess: string) => {
    const secrets = secretsOfHeaders(new Map([['x-api-key', guess]]), () => true);
    return redact(await conceal(answer, CREDENTIAL), secrets, rules);
  };
  /** Without the letters of `REDACTED`, which the caller sees anyway. */
  const alphabet = 'abcdefghijklmnopqrstuvwxyzBFGHIJKLMNOPQSUVWXYZ0123456789-_';

  it.each<[name: string, answer: (text: string) => Answer]>([
    ['JSON', (text) => answerWith(jsonBody(JSON.stringify({ error: text })))],
    ['text', (text) => answerWith(textBody(text))],
    ['an excerpt', (text) => answerWith(excerptBody(text, false))],
    ['bytes', (text) => answerWith(base64Body(text))],
    ['a header', (text) => answerWith({ kind: 'none' }, { headers: { 'x-error': text } })],
  ])('by guessing a character beside known text, in %s', async (_name, answer) => {
    const echo = answer(`Invalid API key provided: ${SECRET}. Try again.`);
    const expected = await seen(echo, 'provided! ');
    expect(JSON.stringify(expected)).toContain('"redactions":1');
    for (const guess of alphabet) {
      expect(await seen(echo, `provided: ${guess}`)).toEqual(expected);
      expect(await seen(echo, `${guess}. Try again`)).toEqual(expected);
      const known = SECRET.slice(0, 10);
      expect(await seen(echo, `provided: ${known}${guess}`)).toEqual(expected);
      expect(await seen(echo, `${known}${guess}`)).toEqual(expected);
    }
  });

  it('by guessing what takes the search over its limit', async () => {
    for (const echo of [
      jsonBody(JSON.stringify(Array(6_000).fill(SECRET))),
      textBody(`${SECRET} `.repeat(6_000)),
    ]) {
      const expected = await seen(answerWith(echo), 'wrong-guess');
      expect(expected).toMatchObject({ body: { kind: echo.kind }, redactions: 6_000 });
      for (const guess of [SECRET, SECRET.slice(0, 8), SECRET.slice(-8), btoa(SECRET)])
        expect(await seen(answerWith(echo), guess)).toEqual(expected);
    }
  });

  it('by echoes of its own up to the limit', async () => {
    const own = 'my-own-key ';
    const body = textBody(`${SECRET} `.repeat(10_000) + own.repeat(10_000));
    const answer = await seen(answerWith(body), own.trim());
    expect(answer.redactions).toBe(20_000);
    expect(shownOf(answer.body)).toBe('REDACTED '.repeat(20_000));
  });
});
