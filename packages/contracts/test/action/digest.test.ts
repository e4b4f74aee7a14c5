import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import canonicalize from 'canonicalize';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionDigest } from '../../src/action/index.ts';
import { JsonText } from '../../src/json/index.ts';

const digestOf = (action: object) =>
  actionDigest({ method: 'POST', url: new URL('https://a.test/'), ...action });
const digestOfText = (text: string) => digestOf({ body: new JsonText(text) });

describe('canonical JSON', () => {
  it.each<[name: string, text: string, canonical: string, inexact?: string]>([
    [
      'the sample of RFC 8785, section 3.2.2',
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
      '/body/numbers/0',
    ],
    [
      'the order of members, section 3.2.3',
      '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ],
    ['numbers as names', '[56,{"d":true,"10":null,"1":[ ]}]', '[56,{"1":[],"10":null,"d":true}]'],
    [
      'no locale',
      '{"sin":1,"pêche":2,"péché":3,"peach":4}',
      '{"peach":4,"péché":3,"pêche":2,"sin":1}',
    ],
    ['no normalization', '{"a":"A\\u030a"}', '{"a":"A\u030a"}'],
    [
      'nested members',
      '{"1":{"f":{"f":"hi","F":5},"\\n":56.0},"10":{},"":"empty","111":[{"e":1,"E":2}]}',
      '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":2,"e":1}]}',
    ],
  ])('has the published form: %s', (_name, text, canonical, inexact) => {
    expect(canonicalize(JSON.parse(text))).toBe(canonical);
    const digest = digestOfText(text);
    if (inexact === undefined) expect(digest).toEqual(digestOfText(canonical));
    else expect(digest).toMatchObject({ ok: false, reason: [{ pointer: inexact }] });
  });

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the double %s as %s (RFC 8785, appendix B)', (hex, text) => {
    expect(canonicalize(Buffer.from(hex, 'hex').readDoubleBE())).toBe(text);
    expect(digestOfText(text).ok).toBe(true);
  });
});

describe('the digest of an action', () => {
  it.each([
    ['1.0', '1'],
    ['100e-2', '1'],
    ['0e5', '0'],
    ['{"b":1,"a":[2]}', ' { "a" : [ 2.00 ] , "b" : 1 } '],
    ['"\\u0061\\/"', '"a/"'],
    ['null', undefined],
  ])('is the same for the body %s and %s', (one, other) => {
    expect(digestOfText(one)).toMatchObject({ ok: true });
    expect(digestOfText(one)).toEqual(other === undefined ? digestOf({}) : digestOfText(other));
  });

  it.each([
    ['-0', ''],
    ['{"a":[1,-0.0]}', '/a/1'],
    ['9007199254740993', ''],
    ['1e400', ''],
    ['1e-400', ''],
    ['4.9e-324', ''],
    ['{"a":{"x":1,"\\u0078":2}}', '/a/x'],
    ['"\\ud800"', ''],
  ])('does not exist for the body %s', (text, pointer) => {
    const violation = { pointer: `/body${pointer}`, message: expect.stringMatching(/^must /) };
    expect(digestOfText(text)).toEqual({ ok: false, reason: [violation] });
  });

  it.each<[what: string, bodyWith: (more: number) => string]>([
    ['10,000 members', (more) => membersOf(10_000 + more)],
    ['100,000 values', (more) => `[${Array(99_999 + more).fill('[]')}]`],
  ])('does not exist for a body with more than %s', (_what, bodyWith) => {
    expect(digestOfText(bodyWith(0))).toMatchObject({ ok: true });
    expect(digestOfText(bodyWith(1))).toEqual({
      ok: false,
      reason: [
        {
          pointer: '/body',
          message: expect.stringMatching('at most 10000 members and 100000 values'),
        },
      ],
    });
  });

  it('says why a JSON body with an unpaired surrogate has none', () => {
    expect(digestOfText('{"a":"\\ud800"}')).toEqual({
      ok: false,
      reason: [{ pointer: '/body', message: expect.stringContaining('no canonical form') }],
    });
  });

  it.each([
    ['a form', 'application/x-www-form-urlencoded', false],
    ['a form in capitals', 'APPLICATION/X-WWW-FORM-URLENCODED; charset=utf-8', false],
    ['multipart', 'multipart/form-data', false],
    ['JSON', 'application/json', true],
    ['JSON by default', undefined, true],
  ])('allows an exponent unless a number is sent as text: %s', (_name, type, isAllowed) => {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const digestIn = (text: string) => digestOf({ headers, body: new JsonText(text) });
    for (const number of ['50000e-2', '5E2', '5e+2', '0e0', '[1,5e2]'])
      expect(digestIn(`{"a":1,"n":${number}}`).ok).toBe(isAllowed);
    for (const scalar of ['500', '500.0', '-0.5', '"5e2"', 'true', '1000000000000000000000'])
      expect(digestIn(`{"e":${scalar}}`).ok).toBe(true);
    expect(digestIn('{"n":1.0}')).toEqual(digestIn('{"n":1}'));
    if (!isAllowed)
      expect(digestIn('{"n":[1,5e2]}')).toEqual({
        ok: false,
        reason: [{ pointer: '/body/n/1', message: expect.stringContaining('without an exponent') }],
      });
  });

  it('is the SHA-256 of the documented members', () => {
    const url = new URL('https://a.test/x?b=1&a=2');
    const headers = { 'X-A': '1', Authorization: 'Bearer a', COOKIE: 'a=b', 'x-api-key': 'k' };
    const document =
      '{"body":{"a":1},"body_type":"base64","headers":{"authorization":null,"cookie":null,"x-a":"1","x-api-key":null},"method":"PUT","url":"https://a.test/x?b=1&a=2"}';
    const action = { method: 'PUT', url, headers, body: { a: 1 }, body_type: 'base64' };
    const value = hash('sha256', document, 'base64url');
    expect(digestOf(action)).toEqual({ ok: true, value });
  });

  it('is equal exactly if method, URL, covered headers and body are', () => {
    let equal = 0;
    fc.assert(
      fc.property(PAIRS, ([one, other, spelling]) => {
        const isSame = isDeepStrictEqual(one, other);
        equal += Number(isSame);
        const [first, second] = [digestOf(toAction(one, 0)), digestOf(toAction(other, spelling))];
        expect(first.ok && second.ok).toBe(true);
        expect(isDeepStrictEqual(first, second)).toBe(isSame);
      }),
      { numRuns: 10_000 },
    );
    expect(equal).toBeGreaterThan(2_000);
    expect(equal).toBeLessThan(8_000);
  });
});

/** What a digest covers. Small alphabets make many parts of two actions equal. */
const COVERED = fc.record({
  method: fc.constantFrom('POST', 'PUT'),
  path: fc.constantFrom<string>('', '/', '/?a=1&b=2', '/?b=2&a=1', '/%41', '/A', '/a'),
  headers: fc.dictionary(fc.constantFrom('x-a', 'x-b', 'cookie'), fc.constantFrom('1', '2', '')),
  body: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value))),
  type: fc.constantFrom(undefined, 'base64'),
});
type Covered = typeof COVERED extends fc.Arbitrary<infer T> ? T : never;

/** Two actions that differ in at most one part, or are unrelated, and a way to spell the second. */
const PAIRS = fc
  .tuple(
    COVERED,
    COVERED,
    fc.constantFrom('none', 'method', 'path', 'headers', 'body', 'type', 'all'),
    fc.nat(7),
  )
  .map(([one, other, part, spelling]): [Covered, Covered, number] => {
    const second =
      part === 'none' ? one : part === 'all' ? other : { ...one, [part]: other[part as 'body'] };
    return [normal(one), normal(second), spelling];
  });

/** Blanks what a digest leaves out, and resolves the URL. */
function normal({ headers, path, ...rest }: Covered): Covered {
  const covered = Object.entries(headers).map(([name, value]) => [
    name,
    name === 'cookie' ? '' : value,
  ]);
  const { href } = new URL(path, 'https://a.test');
  return { ...rest, path: href, headers: Object.fromEntries(covered) };
}

/** Spells an action in one of eight ways: other capitals, another order, other digits and spaces. */
function toAction({ method, path, headers, body, type }: Covered, spelling: number): object {
  const [capitals, reversed, spaced] = [1, 2, 4].map((bit) => (spelling & bit) !== 0);
  const spelt = Object.entries(headers).map(([name, value]) => [
    capitals ? name.toUpperCase() : name,
    name === 'cookie' ? String(spelling) : value,
  ]);
  const text = JSON.stringify(reversed ? reverse(body) : body, undefined, spaced ? 2 : 0);
  return {
    ...{ method, url: new URL(path), body_type: type },
    headers: Object.fromEntries(reversed ? spelt.reverse() : spelt),
    body: new JsonText(spaced ? text.replaceAll(/^( *)(-?\d+)(,?)$/gm, '$1$2.0$3') : text),
  };
}

/** Returns an object with `count` members as JSON. */
const membersOf = (count: number) => `{${Array.from({ length: count }, (_, n) => `"m${n}":1`)}}`;

/** Reverses the order of members at every depth. */
function reverse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverse);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reverse(member)]);
  return Object.fromEntries(members.reverse());
}
