import type { ResponseType } from '@gatehouse/contracts';
import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from '../support/executor.ts';
import { startSite } from '../support/site.ts';

const executor = shared(startExecutor);
const site = shared(startSite);

const SECRET = 'Secret-Of-Many-Letters';
const SHORT = 'hunter2x';
const KEYS = { 'x-api-key': SECRET, 'x-auth-token': SHORT };
const TYPES = ['json', 'text', 'base64', 'auto'] as const;

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16(text).swap16();
const PNG = latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
const plain = (charset: string) => `text/plain; charset=${charset}`;

/** Returns the outcome of a POST that is answered with this body. */
async function outcomeOf(
  body: string | Buffer,
  type: ResponseType | null,
  {
    contentType,
    status = 200,
    ...more
  }: { contentType?: string; status?: number; [member: string]: unknown } = {},
) {
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  const url = site().serve({ status, body, headers });
  return executor().outcome({ method: 'POST', url, response_type: type, ...more });
}

/**
 * Returns the type of a body and its value, with bytes as latin1. If the body does not have the
 * requested type, returns the reason and the beginning of the body instead.
 */
async function shown(
  body: string | Buffer,
  type: ResponseType,
  contentType?: string,
): Promise<unknown[]> {
  const outcome = await outcomeOf(body, type, contentType === undefined ? {} : { contentType });
  if (outcome.outcome === 'failure') {
    const [, why = outcome.message] =
      /, but the response body is ([^;]*)/.exec(outcome.message) ?? [];
    return [why.replace(/\.$/, ''), outcome.body];
  }
  const { body_type, body: value } = outcome;
  if (body_type !== 'base64') return [body_type, value];
  return [body_type, Buffer.from(String(value), 'base64').toString('latin1')];
}

const ERROR_PAGE = 'gone '.repeat(1_000);

describe('the type of a body', () => {
  it.each<
    [name: string, body: string | Buffer, json: unknown, text: unknown, auto: unknown, as?: string]
  >([
    ['JSON', '{"a":1}', ['json', { a: 1 }], ['text', '{"a":1}'], ['json', { a: 1 }]],
    ['nothing', '', ['json', null], ['json', null], ['json', null]],
    [
      'text',
      'a "b"\r\n\té 😀',
      ['not JSON in UTF-8', 'a "b"\r\n\té 😀'],
      ['text', 'a "b"\r\n\té 😀'],
      ['text', 'a "b"\r\n\té 😀'],
    ],
    [
      'a picture',
      PNG,
      ['not JSON in UTF-8', '�PNG\r\n\x1a\n\0\0\0\rIHDR'],
      ['not valid text in the charset `utf-8`', '�PNG\r\n\x1a\n\0\0\0\rIHDR'],
      ['base64', PNG.toString('latin1')],
    ],
    [
      'control characters that are UTF-8',
      '\x01\x02',
      ['not JSON in UTF-8', '\x01\x02'],
      ['text', '\x01\x02'],
      ['base64', '\x01\x02'],
    ],
    [
      'half of a JSON document',
      '{"a":',
      ['not JSON in UTF-8', '{"a":'],
      ['text', '{"a":'],
      ['text', '{"a":'],
    ],
  ])('%s', async (_name, body, json, text, auto) => {
    expect(await shown(body, 'json')).toEqual(json);
    expect(await shown(body, 'text')).toEqual(text);
    expect(await shown(body, 'auto')).toEqual(auto);
    const bytes = ['base64', Buffer.from(body).toString('latin1')];
    expect(await shown(body, 'base64')).toEqual(body === '' ? ['json', null] : bytes);
    const { body_type } = await outcomeOf(body, null);
    expect(body_type).toBeUndefined();
  });

  it.each<[name: string, body: string | Buffer, contentType: string | undefined, text: string]>([
    ['UTF-8 when nothing is said', 'é', undefined, 'é'],
    ['latin1', latin1('\xe9'), plain('ISO-8859-1'), 'é'],
    ['what latin1 means in practice', latin1('\x80'), plain('latin1'), '€'],
    [
      'a charset in quotes',
      latin1('\xe9'),
      'text/plain;format=flowed; charset="windows-1252"',
      'é',
    ],
    ['Cyrillic', latin1('\xcf\xf0'), plain('windows-1251'), 'Пр'],
    ['Japanese', Buffer.from('8365', 'hex'), plain('Shift_JIS'), 'テ'],
    ['UTF-16', utf16('é😀'), plain('utf-16'), 'é😀'],
    ['UTF-16, big end first', utf16be('é😀'), plain('utf-16be'), 'é😀'],
    ['the mark of UTF-8 before its charset', '\ufeffé', plain('latin1'), 'é'],
    ['the mark of UTF-16', utf16('\ufeffé'), undefined, 'é'],
    ['the mark of UTF-16, big end first', utf16be('\ufeffé'), plain('utf-8'), 'é'],
    ['a second mark', '\ufeff\ufeffé', undefined, '\ufeffé'],
  ])('is text in its charset: %s', async (_name, body, contentType, text) => {
    expect(await shown(body, 'text', contentType)).toEqual(['text', text]);
    expect(await shown(body, 'auto', contentType)).toEqual(['text', text]);
    // If the body is not JSON, its excerpt is decoded using the body's charset.
    expect(await shown(body, 'json', contentType)).toEqual(['not JSON in UTF-8', text]);
  });

  it('is not JSON in another charset', async () => {
    for (const charset of ['utf-8', 'latin1', 'windows-874'])
      expect((await shown(latin1('["\xe9"]'), 'json', plain(charset)))[0]).toBe(
        'not JSON in UTF-8',
      );
    expect(await shown('["é"]', 'json', plain('iso-8859-1'))).toEqual(['json', ['é']]);
  });

  it.each<[name: string, body: string | Buffer, charset: string]>([
    ['bytes that are no UTF-8', latin1('\xe9'), 'utf-8'],
    ['an odd byte of UTF-16', utf16('ab').subarray(0, 3), 'utf-16'],
  ])('is not text: %s', async (_name, body, charset) => {
    const reason = `not valid text in the charset \`${charset}\``;
    expect((await shown(body, 'text', plain(charset)))[0]).toBe(reason);
    expect((await shown(body, 'auto', plain(charset)))[0]).toBe('base64');
  });

  it('is decoded as UTF-8 if the label of its charset is unknown', async () => {
    for (const label of ['klingon', 'none', 'utf8mb4', 'UTF_8', 'utf-8,gbk', "'utf-8'", 'binary'])
      for (const type of ['text', 'auto'] as const)
        expect(await shown('né', type, plain(label)), label).toEqual(['text', 'né']);
  });

  it('is decoded in an excerpt whose last character is cut', async () => {
    const kanji = Buffer.from(`78${'8365'.repeat(40_000)}`, 'hex');
    expect((await shown(kanji, 'json', plain('shift_jis')))[1]).toBe(`x${'テ'.repeat(198)}…`);
  });

  it('shortens an error page, except if it is the requested type', async () => {
    const page = (type: ResponseType) => outcomeOf(ERROR_PAGE, type, { status: 404 });
    const begins = expect.stringMatching(/^(gone ){399}gon.…$/);
    expect(await page('json')).toMatchObject({ body_type: 'text', body: begins });
    for (const type of ['text', 'auto'] as const)
      expect(await page(type)).toMatchObject({ body_type: 'text', body: ERROR_PAGE });
    expect(await page('base64')).toMatchObject({ body_type: 'base64', body: btoa(ERROR_PAGE) });
  });

  it('is `json` for HEAD', async () => {
    const url = site().serve({ body: 'x' });
    for (const response_type of TYPES)
      expect(await executor().success({ method: 'HEAD', url, response_type })).toMatchObject({
        body: null,
        body_type: 'json',
      });
  });

  it('is also part of the last error after several attempts', async () => {
    const url = site().serve({ status: 503, body: 'later' });
    const outcome = await executor().failure({ method: 'GET', url, response_type: 'text' });
    expect(outcome).not.toHaveProperty('body_type');
    expect(outcome.last_error).toMatchObject({ body: 'later', body_type: 'text' });
  });

  it.each([64 * 1024, 300_000])(
    'does not depend on the size: %i bytes and one more',
    async (size) => {
      for (const bytes of [size, size + 1]) {
        const text = 'é'.repeat(bytes).slice(0, bytes);
        expect(await shown(text, 'text')).toEqual(['text', text]);
        const binary = Buffer.alloc(bytes, 0xff);
        expect(await shown(binary, 'auto')).toEqual(['base64', binary.toString('latin1')]);
      }
    },
  );
});

// docs/contract.md, "Bounds": the executor's response is at most twice the upstream's response plus
// 64 KiB.
describe('a text that becomes too large when written as a JSON string', () => {
  const FREE = 16 * 1024;
  it.each<[name: string, each: number, inJson: number, contentType?: string]>([
    ['control characters', 0x01, 6],
    ['NULs', 0x00, 6],
    ['letters of one byte that UTF-8 writes in three', 0xa1, 3, plain('windows-874')],
  ])('is bytes: %s', async (_name, each, inJson, contentType) => {
    // Length of the longest text that fits. Its JSON string, with quotes, may take up to twice as
    // many bytes as the text, plus `FREE`.
    const most = Math.floor((FREE - 2) / (inJson - 2));
    const of = (count: number) => Buffer.alloc(count, each);
    expect((await shown(of(most), 'text', contentType))[0]).toBe('text');
    const [why] = await shown(of(most + 1), 'text', contentType);
    expect(why).toBe('text that becomes too large when written as a JSON string');
    expect((await shown(of(most + 1), 'auto', contentType))[0]).toBe('base64');
  });

  it('is text if it has only quotes, backslashes, line ends or other scripts', async () => {
    for (const each of ['"', '\\', '\n', 'é', '😀', 'x'])
      expect((await shown(each.repeat(50_000), 'text'))[0]).toBe('text');
  });
});

describe('credentials are scrubbed', () => {
  it.each<[name: string, body: string | Buffer, contentType: string | undefined, text: string]>([
    ['in UTF-8', `a ${SECRET} b`, undefined, 'a REDACTED b'],
    ['short, also inside a word', `a ${SHORT} b ${SHORT}y`, undefined, 'a REDACTED b REDACTEDy'],
    ['in latin1', latin1(`\xe9 ${SECRET}`), plain('latin1'), 'é REDACTED'],
    ['in UTF-16', utf16(`é ${SECRET} ${SHORT}!`), plain('utf-16'), 'é REDACTED REDACTED!'],
    ['in UTF-16 by its mark', utf16be(`\ufeffé ${SECRET}`), undefined, 'é REDACTED'],
    ['beside quotes', `"${SECRET}"\\`, undefined, '"REDACTED"\\'],
  ])('from text: %s', async (_name, body, contentType, text) => {
    const redactions = text.split('REDACTED').length - 1;
    const more = { headers: KEYS, ...(contentType && { contentType }) };
    for (const type of ['text', 'auto'] as const)
      expect(await outcomeOf(body, type, more)).toMatchObject({ body: text, redactions });
    expect(await outcomeOf(body, 'json', more)).toMatchObject({
      error: 'ResponseNotJson',
      body: text,
    });
  });

  it.each<[name: string, body: Buffer, rest: string, redactions: number | undefined]>([
    ['short, between NULs', latin1(`\xffkey\0${SHORT}\0`), '\xffkey\0REDACTED\0', 1],
    [
      'behind more than is examined at once',
      Buffer.concat([Buffer.alloc(100_000, 0xff), latin1(SECRET)]),
      `${'\xff'.repeat(100_000)}REDACTED`,
      1,
    ],
  ])('from bytes: %s', async (_name, body, rest, redactions) => {
    for (const type of ['base64', 'auto'] as const)
      expect(await outcomeOf(body, type, { headers: KEYS })).toMatchObject({
        body_type: 'base64',
        body: latin1(rest).toString('base64'),
        ...(redactions && { redactions }),
      });
  });
});

it('a schema applies to the body as it is shown', async () => {
  const judged = (type: ResponseType, response_schema: object) =>
    outcomeOf(latin1('\xe9'), type, { contentType: plain('latin1'), response_schema });
  expect(await judged('text', { const: 'é' })).toMatchObject({ body: 'é' });
  expect(await judged('base64', { const: '6Q==' })).toMatchObject({ body: '6Q==' });
  for (const type of ['text', 'auto'] as const)
    expect(await judged(type, { type: 'object' })).toMatchObject({
      error: 'SchemaValidationFailed',
      body: 'é',
    });
});

it('an action without `accept` gets one for its response type', async () => {
  const accepted = async (response_type: ResponseType | null, headers = {}) => {
    const url = site().serve({});
    await executor().success({ method: 'GET', url, headers, response_type });
    return site().received(url)[0]?.headers.accept;
  };
  const accept: unknown[] = [];
  for (const type of ['json', null, 'text', 'base64', 'auto'] as const)
    accept.push(await accepted(type));
  const json = 'application/json';
  expect(accept).toEqual([json, json, '*/*', '*/*', 'application/json, */*;q=0.9']);
  expect(await accepted('text', { Accept: 'text/csv' })).toBe('text/csv');
});
