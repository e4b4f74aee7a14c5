import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitBase64, limitBytes } from '../../src/part/limit-bytes.ts';
import { JSON_TEXT, parsed } from '../support/json-texts.ts';
import { missing } from '../support/reference.ts';

const limit = async (text: string, maxBytes: number) => {
  const { json, omitted } = await limitBytes(Buffer.from(text), maxBytes);
  return { text: json.toString(), omitted };
};

const X = (length: number) => 'x'.repeat(length);

describe('a body', () => {
  it.each<[name: string, body: string, maxBytes: number, shown: string, omitted: object[]]>([
    ['that fits', `"${X(62)}"`, 64, `"${X(62)}"`, []],
    ['that is a string', `"${X(63)}"`, 64, `"${X(59)}…"`, [{ pointer: '', bytes: 4 }]],
    ['that is a number', '1'.repeat(65), 64, 'null', [{ pointer: '', bytes: 65 }]],
    [
      'with letters of two bytes',
      `"${'é'.repeat(40)}"`,
      64,
      `"${'é'.repeat(29)}…"`,
      [{ pointer: '', bytes: 22 }],
    ],
    [
      'with escapes',
      `"${'\\n'.repeat(40)}"`,
      64,
      `"${'\\n'.repeat(29)}…"`,
      [{ pointer: '', bytes: 22 }],
    ],
    [
      'with escaped pairs',
      `"${'\\ud83d\\ude00'.repeat(6)}"`,
      64,
      `"${'\\ud83d\\ude00'.repeat(4)}…"`,
      [{ pointer: '', bytes: 24 }],
    ],
    [
      'with many items',
      `[${Array(40).fill('12').join(', ')}]`,
      64,
      `[${Array(16).fill('12').join(', ')}]`,
      [{ pointer: '', items: 24 }],
    ],
    [
      'with a long item after short ones',
      `[1, 2, "${X(99)}", 3]`,
      64,
      `[1, 2,"${X(52)}…"]`,
      [
        { pointer: '/2', bytes: 47 },
        { pointer: '', items: 1 },
      ],
    ],
    [
      'with a name that is too long for a pointer',
      `{"${X(310)}":{"a":"${X(400)}"}}`,
      400,
      `{"${X(310)}":{"a":"${X(74)}…"}}`,
      [{ pointer: '', bytes: 326 }],
    ],
    [
      'with a long first item',
      `["${X(80)}",1]`,
      64,
      `["${X(57)}…"]`,
      [
        { pointer: '/0', bytes: 23 },
        { pointer: '', items: 1 },
      ],
    ],
    [
      'with a long number',
      `{"a":1,"b":${'9'.repeat(80)},"c":2}`,
      64,
      '{"a":1}',
      [{ pointer: '', members: 2 }],
    ],
    [
      'with a long member before a short one',
      `{"a":"${X(99)}","b":{"c":[1, 2]}}`,
      64,
      `{"a":"${X(36)}…","b":{"c":[1, 2]}}`,
      [{ pointer: '/a', bytes: 63 }],
    ],
    [
      'with names that need a pointer',
      `{"a/b":{"~":"${X(99)}"}}`,
      64,
      `{"a/b":{"~":"${X(45)}…"}}`,
      [{ pointer: '/a~1b/~0', bytes: 54 }],
    ],
    ['with blanks around it', `  [1]  ${' '.repeat(64)}`, 64, '[1]', []],
  ])('%s', async (_name, body, maxBytes, shown, omitted) => {
    expect(await limit(body, maxBytes)).toEqual({ text: shown, omitted });
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxBytes);
  });

  it('counts the omissions after the twentieth together', async () => {
    const members = Array.from({ length: 25 }, (_, n) => `"${n}":"${X(100)}"`);
    const { text, omitted } = await limit(`{${members.join(',')}}`, 2_000);
    const lengths = Object.values(JSON.parse(text) as Record<string, string>);
    expect(lengths).toHaveLength(25);
    expect(omitted).toHaveLength(21);
    const missing = 100 - (lengths[24]?.length ?? 0) + 1;
    expect(omitted[20]).toEqual({ pointer: '', bytes: 5 * missing });
  });

  it('in base64 is cut where it can still be decoded', () => {
    const json = Buffer.from(`"${Buffer.from(X(90)).toString('base64')}"`);
    const { json: shown, omitted } = limitBase64(json, 68);
    expect(Buffer.from(JSON.parse(shown.toString()), 'base64').toString()).toBe(X(48));
    expect(shown.length).toBe(66);
    expect(omitted).toEqual([{ pointer: '', bytes: 56 }]);
  });
});

it('keeps the digits, stays JSON, never exceeds the limit and says what is missing', async () => {
  const limits = fc.integer({ min: 64, max: 600 });
  const property = fc.asyncProperty(JSON_TEXT, limits, async (text, maxBytes) => {
    const { text: shown, omitted } = await limit(text, maxBytes);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxBytes);
    if (Buffer.byteLength(text) <= maxBytes) expect(shown).toBe(text);
    const found = missing(parsed(text), parsed(shown));
    expect(omitted.slice(0, 20)).toEqual(found.slice(0, 20));
    expect(omitted.length).toBe(Math.min(found.length, 21));
  });
  await fc.assert(property, { numRuns: 20_000 });
});
