import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrubBytes, scrubJson } from '../../src/secrets/scrub.ts';
import { NO_SECRETS, secretsOfHeaders } from '../../src/secrets/secrets.ts';

const secretsOf = (secret: string) => secretsOfHeaders(new Map([['x-key', secret]]), () => true);

/** Returns a JSON document without the secret, and the number of echoes. */
async function scrub(document: string, secret: string): Promise<[string, number]> {
  const result = await scrubJson(Buffer.from(document), secretsOf(secret));
  if (!result.ok) throw new Error(result.reason);
  return [result.value.bytes.toString(), result.value.echoes];
}

const KEY = 'Secret-Of-Many-Letters';

describe('a JSON document', () => {
  it.each<[name: string, document: string, expected: string, echoes: number]>([
    ['keeps what is around', `{ "a" :["x ${KEY}",1.50] }`, '{ "a" :["x REDACTED",1.50] }', 1],
    ['may be a single string', `"${KEY}"`, '"REDACTED"', 1],
    ['may have two in one string', `["${KEY}/${KEY}"]`, '["REDACTED/REDACTED"]', 2],
    ['may have two without a gap', `["${KEY}${KEY}"]`, '["REDACTEDREDACTED"]', 2],
    ['may have equal names', `{"${KEY}":1,"${KEY}":2}`, '{"REDACTED":1,"REDACTED":2}', 2],
    [
      'may have echoes far apart',
      `["${KEY}",[1,{}],"${KEY}"]`,
      '["REDACTED",[1,{}],"REDACTED"]',
      2,
    ],
    ['keeps other scripts', `{"ä":"ö ${KEY} 日"}`, '{"ä":"ö REDACTED 日"}', 1],
    ['keeps escapes beside it', `["\\n${KEY}\\n","\\u0041"]`, '["\\nREDACTED\\n","\\u0041"]', 1],
    ['is found as a URL', '["?key=Secret%2DOf-Many-Letters&a=%20"]', '["?key=REDACTED&a=%20"]', 1],
    [
      'is found as JSON',
      '["{\\"a\\":\\"\\\\u0053ecret-Of-Many-Letters\\"}"]',
      '["{\\"a\\":\\"REDACTED\\"}"]',
      1,
    ],
    ['is found in base64', `["${btoa(KEY)}"]`, '["REDACTED=="]', 1],
  ])('%s', async (_name, document, expected, echoes) => {
    expect(await scrub(document, KEY)).toEqual([expected, echoes]);
  });

  it.each([
    ['nSecret-Of-Many-Letters', '["a\\nSecret-Of-Many-Letters"]', '["a\\nSecret-Of-Many-Letters"]'],
    ['0041abcdefghijkl', '["\\u0041abcdefghijkl"]', '["\\u0041abcdefghijkl"]'],
    ['abcdefghijklmnop\\', '["abcdefghijklmnop\\\\",1]', '["REDACTED",1]'],
    ['"abcdefgh', '["abcdefgh"]', '["abcdefgh"]'],
    ['"abcdefgh', '["\\"abcdefgh"]', '["REDACTED"]'],
    ['one","b":"two-three', '{"a":"one","b":"two-three"}', '{"a":"one","b":"two-three"}'],
    ['true,false', '[true,false]', '[true,false]'],
    [
      '12345678',
      '[12345678,-12345678,123456789,0.12345678,"12345678","1712345678"]',
      '["REDACTED",-12345678,123456789,0.12345678,"REDACTED","17REDACTED"]',
    ],
    ['12345678', '12345678', '"REDACTED"'],
    ['123456781', '[12345678,1]', '[12345678,1]'],
  ])('keeps its shape: %j in %s', async (secret, document, expected) => {
    expect((await scrub(document, secret))[0]).toBe(expected);
  });

  it('is the same object without echoes', async () => {
    const document = Buffer.from(`["${KEY.slice(1)}", "a\\"${KEY.slice(2)}", 1.50]`);
    for (const secrets of [secretsOf(KEY), NO_SECRETS]) {
      const result = await scrubJson(document, secrets);
      expect(result).toEqual({ ok: true, value: { bytes: document, echoes: 0 } });
      expect(result.ok && result.value.bytes).toBe(document);
    }
  });

  it('is refused if it has too many echoes, even in one string', async () => {
    const reason = 'echoes credentials more than 10000 times';
    for (const document of [JSON.stringify(Array(10_001).fill(KEY)), `"${KEY.repeat(10_001)}"`])
      for (const scrubAny of [scrubJson, scrubBytes])
        expect(await scrubAny(Buffer.from(document), secretsOf(KEY))).toEqual({
          ok: false,
          reason,
        });
    expect((await scrub(JSON.stringify(Array(10_000).fill(KEY)), KEY))[1]).toBe(10_000);
  });

  it('pauses a few times for thousands of echoes', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await scrub(JSON.stringify(Array(10_000).fill(KEY)), KEY);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(1);
    expect(turns).toBeLessThan(100);
  });
});

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const escapeAll = (text: string) =>
  text.replace(/[\0-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const percentAll = (text: string) =>
  Buffer.from(text)
    .toString('hex')
    .replace(/../g, (hex) => `%${hex}`);

/** Encodings of docs/executor-security.md, "Echoed secrets". */
const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  literal: (secret) => secret,
  'JSON string': json,
  'JSON string with escaped slashes': (secret) => json(secret).replaceAll('/', '\\/'),
  'JSON string of escapes alone': escapeAll,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (found) => found.toLowerCase()),
  'partly percent-encoded': (secret) => secret.replace(/[%" ]/g, encodeURIComponent),
  'every byte percent-encoded': percentAll,
  form: (secret) => new URLSearchParams([['', secret]]).toString().slice(1),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 without padding': (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
};

/** A header value in latin1 that is this text in UTF-8, and is trimmed. */
const anySecret = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...'ab1 ~/"\\%2n+=&é€😀'), minLength: 8, maxLength: 30 }),
    fc.stringMatching(/^[A-Za-z0-9+/._~%-]{8,40}$/),
  )
  .map((text) => text.trim())
  .filter((text) => text.length >= 8);
const ofText = (text: string) => secretsOf(Buffer.from(text).toString('latin1'));

describe.each(Object.entries(ENCODINGS))('an echo that is %s', (_name, encode) => {
  const withoutPadding = (text: string) => text.replace(/REDACTED=+/, 'REDACTED');

  it('leaves nothing in a JSON document, which stays valid', async () => {
    const law = fc.asyncProperty(anySecret, fc.json(), fc.json(), async (secret, before, after) => {
      const echo = encode(secret);
      const write = (text: string) => `[${before},"a:",${JSON.stringify(text)},{"k":${after}}]`;
      const document = Buffer.from(write(echo));
      const result = await scrubJson(document, ofText(secret));
      if (!result.ok) throw new Error(result.reason);
      const clean = result.value.bytes.toString();
      expect(() => JSON.parse(clean)).not.toThrow();
      expect(clean).not.toContain(json(echo));
      // A short secret may occur by chance in what is around.
      if (result.value.echoes === 1) expect(withoutPadding(clean)).toBe(write('REDACTED'));
      else expect(result.value.echoes).toBeGreaterThan(1);
    });
    await fc.assert(law, { numRuns: 200 });
  });

  it('leaves nothing in text', async () => {
    const law = fc.asyncProperty(anySecret, async (secret) => {
      const bytes = Buffer.from(`„ <${encode(secret)}>日`);
      const result = await scrubBytes(bytes, ofText(secret));
      if (!result.ok) throw new Error(result.reason);
      expect(withoutPadding(result.value.bytes.toString())).toBe('„ <REDACTED>日');
      expect(result.value.echoes).toBe(1);
    });
    await fc.assert(law, { numRuns: 200 });
  });
});

it('changes no byte without an echo', async () => {
  const law = fc.asyncProperty(anySecret, fc.json(), async (secret, document) => {
    fc.pre(!JSON.stringify(JSON.parse(document)).includes(secret.slice(0, 3)));
    const bytes = Buffer.from(document);
    for (const scrub of [scrubJson, scrubBytes]) {
      const result = await scrub(bytes, secretsOf(secret));
      expect(result.ok && result.value.bytes).toBe(bytes);
    }
  });
  await fc.assert(law);
});

describe('text whose end is missing', () => {
  // The longest spelling has 30 characters of base64, each of which may be six bytes long.
  const tail = 'x'.repeat(6 * 30);
  const cut = async (text: string) => {
    const result = await scrubBytes(Buffer.from(text), secretsOf(KEY), true);
    return result.ok ? [result.value.bytes.toString(), result.value.echoes] : result.reason;
  };

  it.each([
    ['echo before the tail', `see ${KEY} and ${tail}`, 'see REDACTED and ', 1],
    ['echo that ends in the tail', `see ${KEY} and ${tail.slice(8)}`, 'see REDACTED', 1],
    ['echo that begins before the tail', `see ${KEY}${tail.slice(21)}`, 'see REDACTED', 1],
    ['echo that begins with the tail', `see ${KEY}${tail.slice(22)}`, 'see ', 0],
    ['echo that begins in the tail', `${tail}see ${KEY}`, tail.slice(0, 26), 0],
    ['beginning of an echo', `${tail}see${KEY.slice(0, 9)}`, tail.slice(0, 12), 0],
    ['text that is all tail', 'see', '', 0],
  ])('ends in: %s', async (_name, text, expected, echoes) => {
    expect(await cut(text)).toEqual([expected, echoes]);
  });

  it('keeps its end without secrets', async () => {
    const bytes = Buffer.from('see');
    const value = { bytes, echoes: 0 };
    expect(await scrubBytes(bytes, NO_SECRETS, true)).toEqual({ ok: true, value });
  });
});
