import { describe, expect, it } from 'vitest';
import { redact } from '../src/redact.ts';
import { headerRules } from '../src/secrets/header-names.ts';
import { redactText, redactViolations } from '../src/secrets/redact-violations.ts';
import { NO_SECRETS, secretsOfHeaders } from '../src/secrets/secrets.ts';
import { answerWith, excerptBody, jsonBody, shownOf, textBody } from './support/answers.ts';

const KEY = 'k/3~y-of-mine';
const secretsOf = (value: string) =>
  secretsOfHeaders(new Map([['x-api-key', value]]), headerRules().isCredential);
const SECRETS = secretsOf(KEY);
const latin1 = (text: string) => Buffer.from(text).toString('latin1');

describe('headers of a response', () => {
  const shown = async (
    headers: Record<string, string | string[]>,
    rules = headerRules(),
    secrets = NO_SECRETS,
  ) => (await redact(answerWith({ kind: 'none' }, { headers }), secrets, rules)).headers;

  it('are masked by name', async () => {
    const sent = { 'x-api-key': 'v', 'x-a': 'v', 'set-cookie': ['a=1', 'b=2'], x_token: 'v' };
    const masked = {
      'x-api-key': 'REDACTED',
      'x-a': 'v',
      'set-cookie': 'REDACTED',
      x_token: 'REDACTED',
    };
    expect(await shown(sent)).toEqual(masked);
    const rules = headerRules({ redactedHeaders: ['X-A'], shownHeaders: ['X-Api-Key'] });
    expect(await shown({ 'x-api-key': 'v', 'x-a': 'v' }, rules)).toEqual({
      'x-api-key': 'v',
      'x-a': 'REDACTED',
    });
  });

  it('are left out in strict mode', async () => {
    const sent = { etag: '"1"', 'x-a': 'v', 'x-b': 'v', 'set-cookie': 'v' };
    const strict = headerRules({ headerMode: 'strict', shownHeaders: ['x-a'] });
    expect(await shown(sent, strict)).toEqual({ etag: '"1"', 'x-a': 'v' });
  });

  it('are decoded if they are UTF-8', async () => {
    const sent = { a: latin1('ä€'), b: 'ä', c: ['c', latin1('日')] };
    expect(await shown(sent)).toEqual({ a: 'ä€', b: 'ä', c: ['c', '日'] });
  });

  it('lose secrets of the caller', async () => {
    const secrets = secretsOfHeaders(
      new Map([['authorization', `Basic ${btoa(latin1('u:grüße-an-alle'))}`]]),
      () => true,
    );
    const sent = { a: latin1('<grüße-an-alle>'), b: 'grüße-an-alle', 'x-grüße-an-alle': '1' };
    expect(await shown(sent, headerRules(), secrets)).toEqual({
      a: '<REDACTED>',
      b: 'REDACTED',
      'x-REDACTED': '1',
    });
  });

  it('may be named like members of an object', async () => {
    const sent = JSON.parse(`{"__proto__":"${KEY}","constructor":"b"}`);
    const headers = await shown(sent, headerRules(), SECRETS);
    expect(JSON.stringify(headers)).toBe('{"__proto__":"REDACTED","constructor":"b"}');
  });

  it('are missing without a response', async () => {
    const answer = answerWith({ kind: 'none' }, { messages: [`to ${KEY}`] });
    const redacted = await redact(answer, SECRETS, headerRules());
    expect(redacted).toEqual({ ...answer, messages: ['to REDACTED'], redactions: 1 });
    expect(redacted).not.toHaveProperty('headers');
  });
});

describe('an answer', () => {
  it('loses the secrets of the caller and counts them', async () => {
    const answer = answerWith(jsonBody(`["${KEY}",1.50]`), { redactions: 2, messages: [KEY] });
    expect(await redact(answer, SECRETS, headerRules())).toEqual(
      answerWith(jsonBody('["REDACTED",1.50]'), { redactions: 4, messages: ['REDACTED'] }),
    );
  });

  it('is searched as received and as decoded', async () => {
    const texts = [
      textBody(Buffer.from(KEY, 'utf16le'), 'utf-16le'),
      textBody(KEY, 'windows-1251'),
      excerptBody(KEY, false, 'utf-16le'),
    ];
    const garbled = Buffer.from('REDACTED').toString('utf16le');
    const shown = ['REDACTED', 'REDACTED', garbled];
    for (const [index, body] of texts.entries()) {
      const redacted = await redact(answerWith(body), SECRETS, headerRules());
      expect(shownOf(redacted.body)).toBe(shown[index]);
    }
  });

  it('is withheld with more than 10,000 echoes', async () => {
    const reason = 'echoes credentials more than 10000 times';
    const redacted = await redact(
      answerWith(textBody(KEY.repeat(10_001)), { redactions: 7 }),
      SECRETS,
      headerRules(),
    );
    expect(redacted).toEqual(answerWith({ kind: 'withheld', reason }, { redactions: 7 }));
  });

  it('keeps violations short, once they are redacted', async () => {
    const long = `${'x'.repeat(290)}${KEY}`;
    const violations = [
      { pointer: `/${long}`, message: 'm'.repeat(301) },
      { pointer: '/k~13~0y-of-mine', message: '\u0001'.repeat(300) },
      { pointer: 'p'.repeat(300), message: `${'"'.repeat(299)}x` },
      { pointer: 'p', message: '"'.repeat(300) },
    ];
    const answer = answerWith(jsonBody('1'), { violations });
    const redacted = await redact(answer, SECRETS, headerRules());
    expect(redacted.violations).toEqual([
      { pointer: `/${'x'.repeat(290)}REDACTED`, message: `${'m'.repeat(299)}…` },
      { pointer: '/REDACTED', message: `${'\u0001'.repeat(49)}…` },
      { pointer: 'p'.repeat(300), message: `${'"'.repeat(49)}…` },
      { pointer: 'p', message: `${'"'.repeat(49)}…` },
    ]);
  });
});

describe('a refusal', () => {
  it('loses secrets in its message', async () => {
    expect(await redactText(`no host ${KEY}`, SECRETS)).toBe('no host REDACTED');
    expect(await redactText('no host', SECRETS)).toBe('no host');
    expect(await redactText(KEY, NO_SECRETS)).toBe(KEY);
    expect(await redactText(KEY.repeat(10_001), SECRETS)).toBe('REDACTED');
  });

  it('loses secrets in its violations, which are then shortened', async () => {
    const violations = [
      { pointer: '/headers/k~13~0y-of-mine', message: `must not be ${KEY}` },
      { pointer: '/a', message: 'm'.repeat(301) },
    ];
    expect(await redactViolations(violations, SECRETS)).toEqual([
      { pointer: '/headers/REDACTED', message: 'must not be REDACTED' },
      { pointer: '/a', message: `${'m'.repeat(299)}…` },
    ]);
  });
});
