import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectJson, JsonScanner, JsonToken } from '../../src/json/index.ts';

/** Escapes every code unit as six characters. */
const inEscapes = (text: string) =>
  `"${text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')}"`;

describe('a repeated member', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['[{"b":{"c":1,"d":2,"c":3}}]', 'c'],
  ])('is found in %s', (text, name) => {
    expect(inspectJson(Buffer.from(text)).repeatedMember?.name).toBe(name);
  });

  it.each([
    `{"\\ud800":1,"\\ud801":2,"\ufffd":3}`,
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{}',
  ])('is not found in %s', (text) => {
    expect(inspectJson(Buffer.from(text)).repeatedMember).toBeUndefined();
  });
});

describe('names are compared after unescaping', () => {
  const name = fc.string({ unit: 'binary', maxLength: 4 });
  const spelt = fc
    .tuple(name, fc.boolean())
    .map(([text, escaped]) => (escaped ? inEscapes(text) : JSON.stringify(text)));

  it('in any document', () => {
    const law = fc.property(fc.array(spelt, { maxLength: 5 }), (names) => {
      const text = `{${names.map((written) => `${written}:1`).join()}}`;
      const repeated = new Set(names.map((written) => JSON.parse(written))).size < names.length;
      expect(inspectJson(Buffer.from(text)).repeatedMember !== undefined).toBe(repeated);
    });
    fc.assert(law, { numRuns: 2_000 });
  });
});

describe('a prototype key', () => {
  it.each([
    ['{"__proto__":1}', '/__proto__'],
    ['[{"\\u005f_proto__":1}]', '/0/__proto__'],
    ['{"constructor":{"prototype":1}}', '/constructor/prototype'],
  ])('is found in %s', (text, pointer) => {
    expect(inspectJson(Buffer.from(text)).prototypeKey).toBe(pointer);
  });

  it.each([
    '[{"constructor":1},[{"prototype":1}]]',
    '{"constructor":1,"prototype":2}',
    '{"constructor":{"a":{"prototype":1}}}',
    '["__proto__"]',
  ])('is not found in %s', (text) => {
    expect(inspectJson(Buffer.from(text)).prototypeKey).toBeUndefined();
  });
});

describe('a number', () => {
  const isExactNumber = (text: string) =>
    inspectJson(Buffer.from(text)).inexactNumbers.length === 0;

  it.each([
    '9007199254740993',
    '10000.0000000000001',
    '1e400',
    '1e-400',
    '-1e999',
    '0.1000000000000000055',
    '1e99999',
  ])('is not exact as a double: %s', (text) => expect(isExactNumber(text)).toBe(false));

  it.each(
    (
      '0 -0 0.0 0e999999 1 -1.50 0.1 1e2 100.0 1E+5 9007199254740991 9007199254740992 ' +
      '123456789012345680000 1.7976931348623157e308 5e-324 0.30000000000000004'
    ).split(' '),
  )('is exact as a double: %s', (text) => expect(isExactNumber(text)).toBe(true));

  it('is exact as a double if JavaScript wrote it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
        isExactNumber(String(value)),
      ),
    );
  });

  it('is checked quickly, whatever its digits', () => {
    const before = process.threadCpuUsage();
    for (const text of [
      `0.${'0'.repeat(30_000)}1`,
      `1${'0'.repeat(60_000)}1`,
      `1e-${'9'.repeat(1_000_000)}`,
    ]) {
      isExactNumber(text);
    }
    // Measure processor time, because other processes do not affect it.
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

const TEXT = '{"a":[1,{"b/~":[true,-2.5]}],"c":"x","d":{"e":{}},"f":9007199254740993}';

it.each<[path: string, text: string, found: readonly string[], count: number]>([
  ['a', TEXT, ['/a=[1,{"b/~":[true,-2.5]}]'], 5],
  ['f', TEXT, ['/f=9007199254740993'], 6],
  ['a', '{"\\u0061" : [ ] ,"b":1}', ['/a=[ ]'], 2],
  ['a', '[{"a":1},{"a":{"a":2}}]', [], 3],
  ['[]/a', '[{"a":1},[{"a":0}],{"b":{"a":3},"a":{"a":2}}]', ['/0/a=1', '/2/a={"a":2}'], 5],
  ['c/[]/a', '{"c":[{"a":1},{"x":2},{"a":[{"a":3}]}]}', ['/c/0/a=1', '/c/2/a=[{"a":3}]'], 4],
  ['c/[]/a', '{"c":{"x":{"a":1}},"d":[{"a":1}],"a":1}', [], 6],
])('finds values at `%s` in %s, and does not count their members', (path, text, found, count) => {
  const findings = inspectJson(Buffer.from(text), { passedOn: new Set([path]) });
  const shown = findings.passedOn.map((each) => {
    return `${each.pointer}=${text.slice(each.start, each.end)}`;
  });
  expect([shown, findings.count]).toEqual([found, count]);
});

describe('a JSON Pointer', () => {
  it.each([
    ['-2.5', '/a/1/b~1~0/1'],
    ['true', '/a/1/b~1~0/0'],
    ['1,', '/a/0'],
    ['"e"', '/d/e'],
    ['9007', '/f'],
    ['"c"', '/c'],
  ])('to %s is %s', (piece, pointer) => {
    const scanner = new JsonScanner(Buffer.from(TEXT));
    while (scanner.start < TEXT.indexOf(piece)) scanner.next();
    expect(scanner.pointer()).toBe(pointer);
    expect(pointer.startsWith(scanner.pointer(4))).toBe(true);
  });

  it('leads to every name and scalar', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const scanner = new JsonScanner(Buffer.from(text));
        for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
          const isScalar = token >= JsonToken.String;
          if (isScalar && !hasRepeated(text))
            expect(valueAt(JSON.parse(text), scanner.pointer())).toEqual(
              JSON.parse(scanner.written),
            );
        }
      }),
    );
  });
});

const hasRepeated = (text: string) => inspectJson(Buffer.from(text)).repeatedMember !== undefined;

const valueAt = (value: unknown, pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((each, name) => (each as Record<string, unknown>)[name], value);

describe('a number that `JSON.parse` changes', () => {
  const inexactIn = (text: string, passedOn?: ReadonlySet<string>) =>
    inspectJson(Buffer.from(text), { ...(passedOn && { passedOn }) }).inexactNumbers;

  it('is found by its pointer', () => {
    expect(inexactIn(TEXT)).toEqual(['/f']);
    expect(inexactIn('1e400')).toEqual(['']);
    expect(inexactIn('[[],{},[1e400,0.1],1e-400]')).toEqual(['/2/0', '/3']);
  });

  it('has a short pointer, even if names are long', () => {
    const name = '~'.repeat(1_000);
    const cut = '~0'.repeat(300);
    expect(inexactIn(`{"${name}":[1e400,{"a":1e400}]}`)).toEqual([`/${cut}`, `/${cut}`]);
  });

  it('is ignored in members that the caller forwards as text', () => {
    const text = '{"a":[1e400],"b":{"a":1e400},"":1e400}';
    expect(inexactIn(text, new Set(['a']))).toEqual(['/b/a', '/']);
    expect(inexactIn('[1e400]', new Set(['a', '']))).toEqual(['/0']);
  });
});
