import {
  compileSchemaText,
  FULL_TRIES,
  OverBudget,
  Starved,
  TimeBudget,
} from '@gatehouse/json-schema';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { mustCheck } from './support/checks.ts';

const BUDGET_MS = 20;
const BUDGET = { ms: BUDGET_MS, tries: FULL_TRIES };
const budget = new TimeBudget();
const waiting = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);

/** Makes work appear to use this much processor time, however busy the machine is. */
function processorGives(user: number, system = 0): void {
  const used = vi.spyOn(process, 'threadCpuUsage');
  used.mockImplementation((before) => (before ? { user, system } : { user: 0, system: 0 }));
}
afterEach(() => void vi.restoreAllMocks());

describe('a time budget', () => {
  it('returns the result of the work', () => {
    expect(budget.run(() => 'done', BUDGET)).toBe('done');
    expect(() =>
      budget.run(() => {
        throw new RangeError('of the work');
      }, BUDGET),
    ).toThrow(new RangeError('of the work'));
  });

  it('stops work after its processor time, including system time, and stays usable', () => {
    const endless = () => {
      for (;;);
    };
    processorGives(1_000 * BUDGET_MS);
    expect(() => budget.run(endless, BUDGET)).toThrow(OverBudget);
    processorGives(999 * BUDGET_MS, BUDGET_MS);
    expect(() => budget.run(endless, BUDGET)).toThrow(OverBudget);
    expect(budget.run(() => 'next', BUDGET)).toBe('next');
  });

  it('restarts starved work with twice the time, and finally reports it as starved', () => {
    processorGives(1_000 * BUDGET_MS - 1);
    const work = vi.fn(waiting);
    const before = performance.now();
    expect(() => budget.run(work, BUDGET)).toThrow(Starved);
    expect(performance.now() - before).toBeGreaterThanOrEqual(1.25 * BUDGET_MS * (1 + 2 + 4) - 3);
    work
      .mockReset()
      .mockImplementationOnce(waiting)
      .mockImplementationOnce(() => 'ok');
    // Use a larger budget, so that both tries can start even on a busy machine.
    expect(budget.run(work, { ...BUDGET, ms: 10 * BUDGET_MS })).toBe('ok');
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('tries once if it has one try', () => {
    processorGives(0);
    const work = vi.fn(waiting);
    expect(() => budget.run(work, { ms: BUDGET_MS, tries: 1 })).toThrow(Starved);
    expect(work).toHaveBeenCalledTimes(1);
  });
});

describe('the timer of a check', () => {
  const SMALL = { type: 'object', properties: { id: { type: 'string', format: 'date-time' } } };
  const timesOf = (schema: object, body: string) => {
    const check = mustCheck(schema);
    check(body);
    const run = vi.spyOn(TimeBudget.prototype, 'run');
    check(body);
    const times = run.mock.calls.length;
    run.mockRestore();
    return times;
  };
  const withKeyword = (member: object) => ({ anyOf: [SMALL, { properties: { a: member } }] });

  it('is not used for a small schema and body without slow keywords', () => {
    expect(timesOf(SMALL, '{"id":"2026-11-23T10:20:30Z"}')).toBe(0);
    expect(timesOf({ enum: ['$ref', 'pattern', 'uniqueItems'] }, '"pattern"')).toBe(0);
    expect(timesOf(SMALL, `{"a":"${'x'.repeat(20_000)}"}`)).toBe(0);
  });

  it.each([
    { $ref: '#' },
    { $dynamicRef: '#' },
    { uniqueItems: true },
    { multipleOf: 1e-300 },
    { pattern: '(x+x+)+y' },
    { patternProperties: { x: {} } },
    { unevaluatedItems: false },
    { unevaluatedProperties: false },
    { format: 'regex' },
    { format: 'uri-template' },
  ])('is used for %j', (member) => {
    expect(timesOf(withKeyword(member), '{"a":[]}')).toBeGreaterThan(0);
  });

  it('is used for a large schema, and if schema and body together are large', () => {
    const sized = (chars: number) => ({
      enum: ['', 'x'.repeat(chars - '{"enum":["",""]}'.length)],
    });
    expect([8_192, 8_193].map((chars) => timesOf(sized(chars), '""'))).toEqual([0, 1]);
    const bodyOf = (bytes: number) => JSON.stringify('y'.repeat(bytes - 2));
    const notThis = { not: { enum: ['', 'x'.repeat(4_096 - 24)] } };
    expect(JSON.stringify(notThis)).toHaveLength(4_096);
    expect([1_024, 1_025].map((bytes) => timesOf(notThis, bodyOf(bytes)))).toEqual([0, 1]);
  });

  it('is not needed for small checks, because even the slowest are short', () => {
    const many = <T>(count: number, each: (n: number) => T) =>
      Array.from({ length: count }, (_, n) => each(n));
    const slowest: object[] = [
      { items: { not: { anyOf: many(120, () => ({ type: 'null' })) } } },
      { items: { oneOf: [{}, ...many(120, () => ({ type: 'null' }))] } },
      { items: { not: { enum: many(200, (n) => ({ a: n })) } } },
      { items: { allOf: many(60, () => ({ if: { type: 'number' }, else: false })) } },
      { items: { not: { contains: { anyOf: many(120, () => ({ type: 'null' })) } } } },
      { items: { not: { anyOf: many(100, () => ({ format: 'email' })) } } },
    ];
    const bodies = [
      many(700, () => 1),
      many(120, () => [1, 2, 3]),
      ['a.'.repeat(700)],
      many(140, () => ({ a: 'x' })),
    ];
    for (const schema of slowest)
      for (const body of bodies) {
        const text = JSON.stringify(body);
        const check = mustCheck(schema);
        // The check itself needs no timer, but listing the violations of an invalid body does.
        expect(timesOf(schema, text)).toBe(check(text).length === 0 ? 0 : 1);
        const before = process.threadCpuUsage();
        for (let run = 0; run < 4; run++) check(text);
        expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
      }
  });
});

describe('compiling a schema', () => {
  const compileWith = (error: Error) => {
    vi.spyOn(TimeBudget.prototype, 'run').mockImplementation(() => {
      throw error;
    });
    return compileSchemaText('{}', budget, BUDGET);
  };

  it.each([
    ['nests too deep', new RangeError('stack'), 'it is too complex'],
    ['breaks in some other way', new Error('odd'), 'odd'],
  ])('says that it %s', (_name, error, reason) => {
    expect(compileWith(error)).toEqual({ kind: 'invalid', pointer: '', reason });
  });

  it.each([new OverBudget(), new Starved()])('throws %s', (error) => {
    expect(() => compileWith(error)).toThrow(error);
  });
});
