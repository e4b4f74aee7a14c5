import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonFault, JsonScanner, JsonToken } from '../../src/json/index.ts';

const raw = String.raw;

function tokens(text: string, maxDepth?: number): string[] {
  const scanner = new JsonScanner(Buffer.from(text), maxDepth);
  const seen: string[] = [];
  while (scanner.next() !== JsonToken.End) seen.push(scanner.written);
  return seen;
}

function faultOf(
  text: string,
  maxDepth?: number,
): Pick<JsonFault, 'reason' | 'position'> | undefined {
  try {
    tokens(text, maxDepth);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { reason: error.reason, position: error.position };
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the scanner', () => {
  it('returns tokens as they are written', () => {
    const text = ' {"a\\u0061" : [ 1.50, -0, 1E+5, "é\\"", true,null ],"":{} }\n';
    expect(tokens(text).join(' ')).toBe(raw`{ "a\u0061" [ 1.50 -0 1E+5 "é\"" true null ] "" { } }`);
  });

  it.each([
    ['nothing', '', 0],
    ['blanks', ' \n', 2],
    ['two documents', '{}{}', 2],
    ['a trailing comma', '[1,]', 3],
    ['a comma before a name', '{,"a":1}', 1],
    ['a missing colon', '{"a" 1}', 5],
    ['a leading zero', '[01]', 2],
    ['a lone minus', '[-]', 2],
    ['a point without digits', '[1.]', 3],
    ['an exponent without digits', '[1e]', 3],
    ['an open string', '["a', 3],
    ['a control character', '["\u0001"]', 2],
    ['an unknown escape', '["\\a"]', 3],
    ['half an escape', '["\\u12g4"]', 3],
    ['a wrong bracket', '[1}', 2],
    ['a bracket too many', '[]]', 2],
    ['a word', '[nul]', 1],
    ['a byte order mark', '\ufeff{}', 0],
  ])('finds where %s is not JSON', (_name, text, position) => {
    expect(isJson(text)).toBe(false);
    expect(faultOf(text)).toEqual({ reason: 'syntax', position });
  });

  it('accepts nesting up to its maximum', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(faultOf(nested(3), 3)).toBeUndefined();
    expect(faultOf(nested(4), 3)).toEqual({ reason: 'depth', position: 3 });
    expect(faultOf(nested(100_000))).toBeUndefined();
  });

  it('agrees with `JSON.parse` on whole and truncated documents', () => {
    const pieces = fc.array(fc.constantFrom(...'{}[],:"\\u0041enrtfalsul.-+ \n\u0001é'), {
      maxLength: 12,
    });
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), pieces)
      .map(([text, at, removed, inserted]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + inserted.join('') + text.slice(from + removed);
      });
    const property = fc.property(
      fc.oneof(
        fc.json(),
        damaged,
        pieces.map((all) => all.join('')),
      ),
      (text) => {
        expect(faultOf(text) === undefined).toBe(isJson(text));
      },
    );
    fc.assert(property, { numRuns: 20_000 });
  });
});
