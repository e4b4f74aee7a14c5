import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEscapes } from '../../src/secrets/escapes.ts';
import { findSecrets } from '../../src/secrets/search.ts';
import { type Secrets, secretsOfHeaders } from '../../src/secrets/secrets.ts';

const secretsOf = (...values: string[]): Secrets =>
  secretsOfHeaders(new Map(values.map((value, index) => [`x-${index}`, value])), () => true);

/** Returns the parts of a text in which secrets were found. */
async function found(text: string, secrets: Secrets, levels?: number): Promise<string[]> {
  const bytes = Buffer.from(text);
  const result = await findSecrets(bytes, secrets, levels);
  if (!result.ok) throw new Error(result.reason);
  return result.value.map(([start, end]) => bytes.toString('utf8', start, end));
}

describe('a search finds', () => {
  const secrets = secretsOf('secret-"1"/ä');
  const json = JSON.stringify('secret-"1"/ä').slice(1, -1);

  it.each<[name: string, text: string, expected: string[]]>([
    ['nothing', '', []],
    ['a literal echo', 'a secret-"1"/ä b', ['secret-"1"/ä']],
    ['escapes of JSON', `a ${json} b`, [json]],
    ['escapes beside it', `\\n${json}\\t%20`, [json]],
    ['escaped slashes', 'secret-\\"1\\"\\/ä', ['secret-\\"1\\"\\/ä']],
    ['code units', '\\u0073ecret-\\"1\\"/\\u00e4', ['\\u0073ecret-\\"1\\"/\\u00e4']],
    ['capital digits', 'secret-\\"1\\"/\\u00E4', ['secret-\\"1\\"/\\u00E4']],
    ['percent escapes', 'secret-%221%22%2F%c3%A4.', ['secret-%221%22%2F%c3%A4']],
    ['some percent escapes', 'secret-%221%22/ä', ['secret-%221%22/ä']],
    ['JSON in JSON', JSON.stringify(json), [JSON.stringify(json).slice(1, -1)]],
    ['a URL in JSON', 'x secret-%221%22\\/%c3%a4', ['secret-%221%22\\/%c3%a4']],
    ['no other case', 'SECRET-"1"/ä', []],
    ['no part', 'secret-"1"/', []],
    ['nothing encoded twice', 'secret-%25221%2522%252F%25c3%25a4', []],
    ['two in a row', 'secret-"1"/äsecret-"1"/ä', ['secret-"1"/ä', 'secret-"1"/ä']],
  ])('%s', async (_name, text, expected) => {
    expect(await found(text, secrets)).toEqual(expected);
  });

  it('a secret that itself looks escaped', async () => {
    const escaped = 'a\\nb%41\\u0041"c';
    const browser = escaped.replace('"', '%22');
    for (const text of [escaped, JSON.stringify(escaped).slice(1, -1), encodeURIComponent(escaped)])
      expect(await found(`x${text}y`, secretsOf(escaped))).toEqual([text]);
    expect(await found(`x${browser}y`, secretsOf(escaped))).toEqual([browser]);
  });

  it('echoes of all kinds at once, in order', async () => {
    const text = `${json} secret-%221%22/ä ${json} secret-"1"/ä`;
    expect(await found(text, secrets)).toEqual(text.split(' '));
  });

  it('nothing deeper than it is told to', async () => {
    const once = JSON.stringify(json).slice(1, -1);
    expect(await found(once, secrets, 1)).toEqual([]);
    expect(await found(json, secrets, 1)).toEqual([json]);
    expect(await found('secret-%221%22\\/%c3%a4', secrets, 1)).toEqual([]);
    expect(await found(json, secrets, 0)).toEqual([]);
  });

  it('overlapping secrets as one echo', async () => {
    const both = secretsOf('abcdefgh', 'efghijklm', 'cdefghij');
    expect(await found('-abcdefghijklm-abcdefgh', both)).toEqual(['abcdefghijklm', 'abcdefgh']);
    expect(await found('x12121212121', secretsOf('12121212'))).toEqual(['1212121212']);
  });

  it('10,000 echoes, but no more', async () => {
    const [echo, secret] = ['abcdefgh ', secretsOf('abcdefgh')];
    expect(await found(echo.repeat(10_000), secret)).toHaveLength(10_000);
    const reason = 'echoes credentials more than 10000 times';
    for (const text of [echo.repeat(10_001), '%61bcdefgh '.repeat(10_001)])
      expect(await findSecrets(Buffer.from(text), secret)).toEqual({ ok: false, reason });
    const last = `${echo.repeat(10_000)}ijklmnop`;
    const two = secretsOf('abcdefgh', 'ijklmnop');
    expect(await findSecrets(Buffer.from(last), two)).toEqual({ ok: false, reason });
    const mixed = echo.repeat(5_000) + '%61bcdefgh '.repeat(5_001);
    expect(await findSecrets(Buffer.from(mixed), secret)).toEqual({ ok: false, reason });
  });
});

it('finds what a naive search finds', async () => {
  const letters = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength });
  const law = fc.asyncProperty(letters(8, 20), letters(0, 200), async (secret, noise) => {
    const text = `${noise}${secret.slice(1)}${secret.slice(0, -1)}${secret}${noise}`;
    const spans = await findSecrets(Buffer.from(text), secretsOf(secret));
    const covered = new Set<number>();
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1))
      for (let index = at; index < at + secret.length; index++) covered.add(index);
    const found = (spans.ok ? spans.value : []).flatMap(([start, end]) =>
      Array.from({ length: end - start }, (_, index) => start + index),
    );
    expect(found).toEqual([...covered].sort((a, b) => a - b));
  });
  await fc.assert(law, { numRuns: 1_000 });
});

describe('escapes', () => {
  const [json, percent] = [0x5c, 0x25] as const;

  it('of any JSON string are decoded as JSON.parse does', async () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\\', '"', '/', '\u{1f600}'),
    );
    const escapeAll = (text: string) =>
      text.replace(/[\0-\uffff]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const law = fc.asyncProperty(fc.array(unit, { maxLength: 5 }), async (units) => {
      const text = units.join('');
      for (const written of [JSON.stringify(text).slice(1, -1), escapeAll(text)])
        expect((await decodeEscapes(Buffer.from(written), json)).toString()).toBe(text);
    });
    await fc.assert(law);
  });

  it('of a URL are decoded as decodeURIComponent does', async () => {
    const law = fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      const written = Buffer.from(encodeURIComponent(text));
      expect((await decodeEscapes(written, percent)).toString()).toBe(text);
    });
    await fc.assert(law);
  });

  it.each([
    ['\\', json],
    ['\\x\\u00\\u00g0\\u004', json],
    ['\\x0041', json],
    ['%', percent],
    ['%4%g1%1g%', percent],
  ] as const)('that are invalid stay: %s', async (text, mark) => {
    expect((await decodeEscapes(Buffer.from(text), mark)).toString()).toBe(text);
  });

  it('of half a surrogate pair stay apart', async () => {
    const text = '\\ud83d\\ud83d\\ude00\\ud83d\\n\\ud83dxude00';
    const decoded = (await decodeEscapes(Buffer.from(text), json)).toString('latin1');
    const half = '\xed\xa0\xbd';
    expect(decoded).toBe(`${half}\xf0\x9f\x98\x80${half}\n${half}xude00`);
    const others = await decodeEscapes(Buffer.from('\\ud83d\\xde00\\u0041\\udc00'), json);
    expect(others.toString('latin1')).toBe(`${half}\\xde00A\xed\xb0\x80`);
  });

  it('of the first and last characters of each length are decoded', async () => {
    const first = '\\u0000\\u0080\\u0800\\ud800\\udc00';
    const last = '\\u007f\\u07ff\\uffff\\udbff\\udfff';
    const decoded = await decodeEscapes(Buffer.from(first + last), json);
    expect(decoded.toString()).toBe('\0\x80\u0800\u{10000}\x7f\u07ff\uffff\u{10ffff}');
  });

  it('map offsets back', async () => {
    const offsets = [0, 1, 2, 4, 6, 7, 8];
    await decodeEscapes(Buffer.from('a%41\\u00e4\\u20ACb'), json, offsets);
    expect(offsets).toEqual([0, 1, 2, 4, 10, 10, 10]);
  });
});
