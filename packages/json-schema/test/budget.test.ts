import {
  compileSchemaText,
  FULL_TRIES,
  OverBudget,
  Starved,
  TimeBudget,
} from '@gatehouse/json-schema';
import { afterEach, describe, expect, it, vi } from 'vitest';

const BUDGET_MS = 20;
const BUDGET = { ms: BUDGET_MS, tries: FULL_TRIES };
const budget = new TimeBudget();
const waiting = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);

/** Uses this much processor time, however busy the machine is. */
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
    // Long enough for both to start, even on a busy machine.
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
