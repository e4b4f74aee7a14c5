import type { ResponseType } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
import { guard, type OutboundRequest } from '../src/guard/guard.ts';
import { redactionRules, redactorFactory } from '../src/index.ts';
import { toOutcome } from '../src/outcome/outcome.ts';
import { prepareSearch } from '../src/redact/search.ts';
import { type BodyOptions, decodeValidateRedact } from '../src/threads/decode-validate-redact.ts';
import { sandbox } from './support/stages.ts';

const guardAction = (action: Parameters<typeof guard>[0], by = sandbox) =>
  guard(action, by, 1024 * 1024);

const SECRET = 'Secret-Of-Many-Letters';
const SHORT = 'hunter2x';
const search = prepareSearch({ secrets: [SECRET, SHORT], wholes: [] });

function examine(body: string | Buffer, type: ResponseType, more: Partial<BodyOptions> = {}) {
  const options = { contentType: undefined, search: undefined, check: undefined, cut: false };
  const examined = decodeValidateRedact(Buffer.from(body), {
    type,
    textChars: 20,
    ...options,
    ...more,
  });
  return 'json' in examined
    ? { ...examined, json: Buffer.from(examined.json).toString() }
    : examined;
}

/** The kind of a body, and what is shown of it: a document, or the text of a string. */
function shown(body: string | Buffer, type: ResponseType, contentType?: string): [string, string] {
  const examined = examine(body, type, { contentType });
  if (examined.kind === 'withheld') return [examined.kind, examined.reason];
  if (examined.kind === 'excerpt') return [examined.reason, examined.text];
  const { kind, json: bytes } = examined;
  if (kind === 'base64') return [kind, Buffer.from(JSON.parse(bytes), 'base64').toString('latin1')];
  return [kind, kind === 'text' ? JSON.parse(bytes) : bytes];
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16(text).swap16();
const PNG = latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
const plain = (charset: string) => `text/plain; charset=${charset}`;

describe('the type of a body', () => {
  it.each<[name: string, body: string | Buffer, contentType: string | undefined, as: object]>([
    [
      'JSON',
      '{"a":1.00}',
      'application/json',
      {
        text: ['text', '{"a":1.00}'],
        base64: ['base64', '{"a":1.00}'],
        auto: ['json', '{"a":1.00}'],
      },
    ],
    [
      'nothing',
      '',
      'image/png',
      { text: ['json', 'null'], base64: ['json', 'null'], auto: ['json', 'null'] },
    ],
    [
      'text',
      'a "b"\r\n\té 😀',
      'text/plain',
      {
        text: ['text', 'a "b"\r\n\té 😀'],
        base64: [
          'base64',
          latin1('a "b"\r\n\t').toString() + Buffer.from('é 😀').toString('latin1'),
        ],
        auto: ['text', 'a "b"\r\n\té 😀'],
      },
    ],
    [
      'a picture',
      PNG,
      'image/png',
      {
        text: ['not text in the charset `utf-8`', '�PNG\r\n\x1a\n\0\0\0\rIHDR'],
        base64: ['base64', PNG.toString('latin1')],
        auto: ['base64', PNG.toString('latin1')],
      },
    ],
    [
      'control characters that are UTF-8',
      '\x01\x02',
      undefined,
      { text: ['text', '\x01\x02'], base64: ['base64', '\x01\x02'], auto: ['base64', '\x01\x02'] },
    ],
    [
      'half of a JSON document',
      '{"a":',
      'application/json',
      { text: ['text', '{"a":'], base64: ['base64', '{"a":'], auto: ['text', '{"a":'] },
    ],
  ])('%s', (_name, body, contentType, as) => {
    for (const [type, expected] of Object.entries(as))
      expect(shown(body, type as ResponseType, contentType), type).toEqual(expected);
  });

  it.each<[name: string, body: string | Buffer, contentType: string | undefined, text: string]>([
    ['UTF-8 when nothing is said', 'é', undefined, 'é'],
    ['UTF-8 when no charset is said', 'é', 'text/html', 'é'],
    ['latin1', latin1('\xe9'), plain('ISO-8859-1'), 'é'],
    ['what latin1 means in practice', latin1('\x80'), plain('latin1'), '€'],
    [
      'a charset in quotes',
      latin1('\xe9'),
      'text/plain;format=flowed; charset="windows-1252"',
      'é',
    ],
    ['blanks around it', latin1('\xe9'), 'text/plain ;\tCharset = iso-8859-1 ; a=b', 'é'],
    ['Cyrillic', latin1('\xcf\xf0'), plain('windows-1251'), 'Пр'],
    ['Japanese', Buffer.from('8365', 'hex'), plain('Shift_JIS'), 'テ'],
    ['Chinese', Buffer.from('c4e3', 'hex'), plain('gb2312'), '你'],
    ['UTF-16', utf16('é😀'), plain('utf-16'), 'é😀'],
    ['UTF-16, big end first', utf16be('é😀'), plain('utf-16be'), 'é😀'],
    ['the mark of UTF-8 before its charset', '\ufeffé', plain('latin1'), 'é'],
    ['the mark of UTF-16', utf16('\ufeffé'), undefined, 'é'],
    ['the mark of UTF-16, big end first', utf16be('\ufeffé'), plain('utf-8'), 'é'],
    ['no charset in the quotes', 'é', 'text/plain; charset=""', 'é'],
    ['a second mark', '\ufeff\ufeffé', undefined, '\ufeffé'],
  ])('text in its charset: %s', (_name, body, contentType, text) => {
    expect(shown(body, 'text', contentType)).toEqual(['text', text]);
    expect(shown(body, 'auto', contentType)).toEqual(['text', text]);
    // An excerpt is read in the same charset.
    expect(shown(body, 'json', contentType)).toEqual(['not JSON in UTF-8', text]);
  });

  it('no JSON in another charset', () => {
    for (const charset of ['utf-8', 'latin1', 'windows-874'])
      expect(shown(latin1('["\xe9"]'), 'json', plain(charset))[0]).toBe('not JSON in UTF-8');
    expect(shown('["é"]', 'json', plain('iso-8859-1'))).toEqual(['json', '["é"]']);
  });

  it.each<[name: string, body: string | Buffer, charset: string]>([
    ['bytes that are no UTF-8', latin1('\xe9'), 'utf-8'],
    ['an odd byte of UTF-16', utf16('ab').subarray(0, 3), 'utf-16'],
    ['a charset that nobody knows', 'abc', 'klingon'],
    ['a charset that is not decoded', 'abc', 'utf-7'],
    ['one that UTF-8 is not', 'abc', 'x-utf-8'],
    ['a name of members', 'abc', 'constructor'],
  ])('no text: %s', (_name, body, charset) => {
    const reason = `not text in the charset \`${charset}\``;
    expect(shown(body, 'text', plain(charset))[0]).toBe(reason);
    expect(shown(body, 'auto', plain(charset))[0]).toBe('base64');
  });

  it('an excerpt whose last character is cut is read in its charset', () => {
    const kanji = Buffer.from(`78${'8365'.repeat(40_000)}`, 'hex');
    const [, excerpt] = shown(kanji, 'json', plain('shift_jis'));
    expect(excerpt).toBe(`x${'テ'.repeat(18)}…`);
  });

  it('a part of a body is an excerpt, whatever its type', () => {
    for (const type of ['json', 'text', 'base64', 'auto'] as const)
      expect(examine('[1]', type, { cut: true })).toMatchObject({
        kind: 'excerpt',
        reason: 'cut off',
        text: '[1]',
      });
  });
});

describe('an answer stays within twice the response and 64 KiB', () => {
  const FREE = 16 * 1024;
  it.each<[name: string, each: string, bytes: number, inJson: number]>([
    ['control characters', '\x01', 1, 6],
    ['a NUL', '\0', 1, 6],
    ['letters of one byte that UTF-8 writes in three', 'ก', 1, 3],
  ])('text of %s', (_name, each, bytes, inJson) => {
    const contentType = plain(each === 'ก' ? 'windows-874' : 'utf-8');
    const of = (count: number) =>
      each === 'ก' ? Buffer.alloc(count, 0xa1) : Buffer.from(each.repeat(count));
    // Two quotes and so many characters take no more than 2 × bytes + FREE.
    const most = Math.floor((FREE - 2) / (inJson - 2 * bytes));
    expect(examine(of(most), 'text', { contentType })).toMatchObject({ kind: 'text' });
    expect(examine(of(most + 1), 'text', { contentType })).toMatchObject({
      kind: 'excerpt',
      reason: 'text that JSON would make too large',
    });
    expect(examine(of(most + 1), 'auto', { contentType })).toMatchObject({ kind: 'base64' });
  });

  it.each(['"', '\\', '\n', 'é', '😀', 'x'])('text of %j of any length', (each) => {
    expect(examine(each.repeat(50_000), 'text')).toMatchObject({ kind: 'text' });
  });
});

describe('redaction', () => {
  it.each<[name: string, body: string | Buffer, contentType: string | undefined, text: string]>([
    ['plain', `a ${SECRET} b`, undefined, 'a REDACTED b'],
    ['short, by itself', `a ${SHORT} b ${SHORT}y`, undefined, `a REDACTED b ${SHORT}y`],
    ['escaped', `a ${encodeURIComponent(SECRET).replace('S', '%53')} b`, undefined, 'a REDACTED b'],
    ['in latin1', latin1(`\xe9 ${SECRET}`), plain('latin1'), 'é REDACTED'],
    ['in UTF-16', utf16(`é ${SECRET} ${SHORT}!`), plain('utf-16'), 'é REDACTED REDACTED!'],
    ['in UTF-16 by its mark', utf16be(`\ufeffé ${SECRET}`), undefined, 'é REDACTED'],
    ['beside quotes', `"${SECRET}"\\`, undefined, '"REDACTED"\\'],
  ])('of text: %s', (_name, body, contentType, text) => {
    for (const type of ['text', 'auto'] as const) {
      const examined = examine(body, type, { search, contentType });
      expect(examined).toMatchObject({ kind: 'text', json: JSON.stringify(text) });
      expect(examined).toHaveProperty('redactions', text.split('REDACTED').length - 1);
    }
    expect(examine(body, 'json', { search, contentType })).toMatchObject({
      kind: 'excerpt',
      text: expect.not.stringContaining(SECRET.slice(0, 8)),
    });
  });

  it.each<[name: string, body: Buffer, rest: string, redactions: number]>([
    ['plain', latin1(`\xff\0${SECRET}\0`), '\xff\0REDACTED\0', 1],
    ['short, between NULs', latin1(`\xffkey\0${SHORT}\0`), '\xffkey\0REDACTED\0', 1],
    ['short, in a word', latin1(`\xffx${SHORT}\0`), `\xffx${SHORT}\0`, 0],
    ['escaped', latin1(`\xff\x01%53${SECRET.slice(1)}\x02`), '\xff\x01REDACTED\x02', 1],
    ['in base64', latin1(`\xff ${btoa(SECRET)} `), '\xff REDACTED ', 1],
  ])('of bytes: %s', (_name, body, rest, redactions) => {
    for (const type of ['base64', 'auto'] as const) {
      const examined = examine(body, type, { search });
      expect(examined).toMatchObject({ kind: 'base64', redactions });
      const base64 = 'json' in examined ? JSON.parse(examined.json) : '';
      expect(Buffer.from(base64, 'base64').toString('latin1')).toBe(rest);
    }
  });
});

describe('a schema', () => {
  it.each<[type: ResponseType, body: string | Buffer, document: string]>([
    ['json', '{"a":1.0}', '{"a":1.0}'],
    ['text', 'a "b"', '"a \\"b\\""'],
    ['base64', 'abc', '"YWJj"'],
    ['auto', '{"a":1.0}', '{"a":1.0}'],
    ['auto', 'abc', '"abc"'],
    ['auto', latin1('\xff'), '"/w=="'],
    ['text', '', 'null'],
  ])('of %s judges the body as it is shown', (type, body, document) => {
    const seen: string[] = [];
    const found = [{ pointer: '', message: `${SECRET} is bad` }];
    const check = (bytes: Buffer) => {
      JSON.parse(bytes.toString());
      seen.push(bytes.toString());
      return found;
    };
    const examined = examine(body, type, { check, search });
    expect(seen).toEqual([document]);
    expect(examined).toMatchObject({
      violations: [{ pointer: '', message: 'REDACTED is bad' }],
      redactions: 1,
    });
  });
});

describe('the outcome', () => {
  const redactor = redactorFactory(redactionRules('all', {}))(new Map());
  const written = (status: number, body: string, responseType: ResponseType | undefined) => {
    const examined = decodeValidateRedact(Buffer.from(body, 'latin1'), {
      type: responseType ?? 'json',
      contentType: undefined,
      search: undefined,
      check: undefined,
      textChars: 20,
      cut: false,
    });
    const response = { status, headers: {}, body: { bytes: Buffer.from(body) } };
    const report = { result: { response }, attempts: 1, history: [], retryAfterMs: undefined };
    const { json } = toOutcome({ ...report, reason: 'settled' }, examined, responseType, redactor);
    const {
      outcome: _,
      attempts: __,
      history: ___,
      headers: ____,
      ...rest
    } = JSON.parse(json.toString());
    return rest;
  };

  it.each<[status: number, body: string, type: ResponseType | undefined, members: object]>([
    [200, '{}', undefined, { body: {} }],
    [200, '{}', 'json', { body: {}, body_type: 'json' }],
    [200, '', 'text', { body: null, body_type: 'json' }],
    [200, '{}', 'text', { body: '{}', body_type: 'text' }],
    [200, 'x', 'auto', { body: 'x', body_type: 'text' }],
    [200, '\xff', 'auto', { body: '/w==', body_type: 'base64' }],
    [404, 'x', undefined, { error: 'HttpFailure', body: 'x' }],
    [404, 'x', 'json', { error: 'HttpFailure', body: 'x', body_type: 'text' }],
    [404, 'x'.repeat(30), 'json', { body: `${'x'.repeat(19)}…`, body_type: 'text' }],
    [404, 'x'.repeat(30), 'text', { body: 'x'.repeat(30), body_type: 'text' }],
    [404, 'x', 'base64', { error: 'HttpFailure', body: 'eA==', body_type: 'base64' }],
    [
      404,
      '\xff',
      'text',
      {
        message:
          'The upstream answered with status 404. Its body is not text in the charset `utf-8`.',
        body: '�',
        body_type: 'text',
      },
    ],
    [200, 'x', 'json', { error: 'ResponseNotJson', body: 'x', body_type: 'text' }],
    [
      201,
      '\xff',
      'text',
      {
        error: 'RequestFailed',
        message:
          'The upstream accepted the request with status 201, but its body is not text in the charset `utf-8`; a `response_type` of `base64` shows it as it is.',
        body: '�',
        body_type: 'text',
      },
    ],
  ])('of %i with %j as %s', (status, body, type, members) => {
    const outcome = written(status, body, type);
    expect(outcome).toMatchObject({ status, ...members });
    expect('body_type' in outcome).toBe('body_type' in members);
  });
});

it('asks for what it takes, unless the action says', () => {
  const accepted = (response_type: ResponseType | null, headers = {}): string | undefined => {
    const action = { method: 'GET', url: 'http://a.test/', headers, response_type };
    const request: OutboundRequest = guardAction(action, sandbox);
    return request.headers.get('accept');
  };
  expect((['json', null, 'text', 'base64', 'auto'] as const).map((type) => accepted(type))).toEqual(
    ['application/json', 'application/json', '*/*', '*/*', 'application/json, */*;q=0.9'],
  );
  expect(accepted('text', { Accept: 'text/csv' })).toBe('text/csv');
});
