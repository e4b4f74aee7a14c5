import { setImmediate } from 'node:timers/promises';
import { transferableSymbol, valueSymbol } from 'piscina';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Cancelled } from '../src/errors.ts';
import { redactionRules } from '../src/redact/header-names.ts';
import { redactorFactory } from '../src/redact/redactor.ts';
import type { Examined } from '../src/response/examine.ts';
import examineOnThread, { type ExamineTask } from '../src/response/examine-worker.ts';
import { type BodyToExamine, createExaminer } from '../src/response/examiner.ts';
import { readSchema } from '../src/schema/reading/read.ts';
import { OverBudget, Starved, TimeBudget } from '../src/schema/time-budget.ts';

const MIB = 1024 * 1024;
const OPTIONS = { type: 'json', contentType: undefined, textChars: 20, cut: false } as const;

describe('what a thread does', () => {
  const TASK = { ...OPTIONS, secrets: [], schema: undefined, maxParsedBytes: MIB };
  const examine = (body: string, more: Partial<ExamineTask> = {}) =>
    shown(examineOnThread({ ...TASK, bytes: Buffer.from(body), ...more }));
  const shown = (examined: Examined) => {
    const bytes = 'bytes' in examined ? Buffer.from(examined.bytes).toString() : undefined;
    return { ...examined, bytes };
  };
  const withSchema = (body: string, schema: object, more: Partial<ExamineTask> = {}) => {
    const examined = examine(body, { schema: readSchema(JSON.stringify(schema)), ...more });
    return 'violations' in examined ? examined.violations : examined;
  };
  const INTEGER = { type: 'object', properties: { a: { type: 'integer' } } };
  const couldNot = (reason: string) => [
    { pointer: '', message: `the body could not be checked: ${reason}` },
  ];

  it('reads the part of a buffer that is the body', () => {
    const whole = Buffer.from('[1][2,3][4]');
    const bytes = new Uint8Array(whole.buffer, whole.byteOffset + 3, 5);
    expect(examine('', { bytes })).toMatchObject({ kind: 'json', bytes: '[2,3]' });
    expect(examine('<p>')).toMatchObject({ kind: 'excerpt', text: '<p>' });
  });

  it('scrubs the secrets of its task alone', () => {
    const body = '["abcdef","ghijkl","abcdefghijkl"]';
    const scrubbed = (...secrets: string[]) => examine(body, { secrets });
    for (let round = 0; round < 2; round++) {
      expect(scrubbed()).toMatchObject({ bytes: body, redactions: 0 });
      expect(scrubbed('abcdefghijkl').bytes).toBe('["abcdef","ghijkl","REDACTED"]');
      expect(scrubbed('abcdef', 'ghijkl').bytes).toBe('["REDACTED","REDACTED","abcdefghijkl"]');
      expect(scrubbed('abcdef').bytes).toBe('["REDACTED","ghijkl","abcdefghijkl"]');
    }
  });

  it('hands a large body over', () => {
    const moved = (body: string) =>
      examineOnThread({ ...TASK, bytes: Buffer.from(body) }) as unknown as Record<symbol, unknown>;
    const large = moved(JSON.stringify('x'.repeat(MIB / 4)));
    expect(large[valueSymbol]).toMatchObject({ kind: 'json' });
    expect(large[transferableSymbol]).toBeInstanceOf(ArrayBuffer);
    expect(moved('1')[valueSymbol]).toBeUndefined();
  });

  it('checks a body again and again', () => {
    for (let round = 0; round < 2; round++) {
      expect(withSchema('{"a":1}', INTEGER)).toEqual([]);
      expect(withSchema('{"a":1.5}', INTEGER)).toMatchObject([{ pointer: '/a' }]);
      expect(withSchema('{"a":1.5}', { type: 'object' })).toEqual([]);
    }
  });

  it('tells what validators disagree on instead of what breaks the schema', () => {
    expect(withSchema('{"a":1.5,"a":2}', INTEGER)).toEqual([
      { pointer: '/a', message: '/a is there more than once' },
    ]);
  });

  it('parses no body that needs more memory than allowed', () => {
    const body = '[[],[]]';
    expect(withSchema(body, { type: 'array' }, { maxParsedBytes: 3 * 64 + 3 * 8 })).toEqual([]);
    expect(withSchema(body, INTEGER, { maxParsedBytes: 3 * 64 + 3 * 8 - 1 })).toEqual(
      couldNot('parsed, it needs more memory than allowed'),
    );
  });

  it.each([
    ['takes too long', new OverBudget(), 'it takes longer than its time budget'],
    [
      'is starved',
      new Starved(),
      'it takes longer than its time budget, or the executor is too busy',
    ],
    ['nests too deep for the stack', new RangeError('stack'), 'it is too complex'],
    ['fails', new TypeError('odd'), 'the validator failed'],
  ])('says that a check %s, and compiles anew', (_name, error, reason) => {
    expect(withSchema('{"a":1}', INTEGER)).toEqual([]);
    const run = vi.spyOn(TimeBudget.prototype, 'run');
    run.mockImplementationOnce(() => {
      throw error;
    });
    expect(withSchema('{"a":1}', INTEGER)).toEqual(couldNot(reason));
    run.mockClear();
    expect(withSchema('{"a":1}', INTEGER)).toEqual([]);
    // To compile, read and check; then to read and check.
    expect(run).toHaveBeenCalledTimes(3);
    expect(withSchema('{"a":1}', INTEGER)).toEqual([]);
    expect(run).toHaveBeenCalledTimes(5);
    run.mockRestore();
  });

  it('says that compiling was starved', () => {
    const run = vi.spyOn(TimeBudget.prototype, 'run').mockImplementationOnce(() => {
      throw new Starved();
    });
    expect(withSchema('1', { const: 'never seen' })).toEqual(
      couldNot('it takes longer than its time budget, or the executor is too busy'),
    );
    run.mockRestore();
  });
});

describe('what is examined at once', () => {
  const examiner = createExaminer(MIB);
  afterAll(() => examiner.close());
  const redactor = redactorFactory(redactionRules('all', {}))(new Map([['x-api-key', 'abcdef']]));
  const CALLER = new AbortController().signal;

  async function examine(bytes: Buffer, more: Partial<BodyToExamine> = {}, caller = CALLER) {
    const body = { ...OPTIONS, bytes, redactor, schema: undefined, ...more };
    let atOnce = false;
    const examined = examiner.examine(body, caller).finally(() => {
      atOnce = true;
    });
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    const result = { atOnce };
    const { kind, ...rest } = await examined;
    return {
      ...result,
      kind,
      redactions: 'redactions' in rest ? rest.redactions : undefined,
      rest,
    };
  }
  const json = (bytes: number) => Buffer.from(JSON.stringify('abcdef '.padEnd(bytes - 2)));

  it.each<[name: string, bytes: Buffer, more: Partial<BodyToExamine>, atOnce: boolean]>([
    ['JSON of 256 KiB', json(MIB / 4), {}, true],
    ['JSON of one byte more', json(MIB / 4 + 1), {}, false],
    ['text of 64 KiB', json(MIB / 16), { type: 'text' }, true],
    ['text of one byte more', json(MIB / 16 + 1), { type: 'text' }, false],
    ['base64 of 64 KiB', json(MIB / 16), { type: 'base64' }, true],
    ['base64 of one byte more', json(MIB / 16 + 1), { type: 'base64' }, false],
  ])('%s', async (_name, bytes, more, atOnce) => {
    expect(await examine(bytes, more)).toMatchObject({ atOnce, redactions: 1 });
  });

  it('the first 64 KiB of what was cut, whatever its length', async () => {
    const bytes = Buffer.alloc(MIB, ' ');
    bytes.write('abcdef', MIB / 16 - 7);
    bytes.write('abcdef', MIB / 16 + 1);
    expect(await examine(bytes, { cut: true, textChars: MIB })).toMatchObject({
      atOnce: true,
      kind: 'excerpt',
      redactions: 1,
    });
  });

  it('what a schema surely admits; a thread finds out the rest', async () => {
    const schema = await examiner.compile({ type: 'string' });
    const surely = { ...schema, admits: () => true };
    const unsure = { ...schema, admits: () => false };
    const [small, large] = [Buffer.from('"x"'), json(MIB / 4 + 1)];
    expect(await examine(small, { schema: surely })).toMatchObject({ atOnce: true });
    expect(await examine(small, { schema: unsure })).toMatchObject({ atOnce: false });
    expect(await examine(large, { schema: surely })).toMatchObject({ atOnce: false });
    // In Shift_JIS `ソu0041`, which a reader of other bytes takes for two characters.
    const sjis = { contentType: 'text/plain; charset=sjis' };
    const short = { ...surely, schema: readSchema('{"maxLength":2}') };
    const misread = await examine(Buffer.from('"\x83\\u0041"', 'latin1'), {
      schema: short,
      ...sjis,
    });
    expect(misread).toMatchObject({ atOnce: false, rest: { violations: [{ pointer: '' }] } });
    const other = await examine(Buffer.from('1'), { schema: unsure });
    expect(other.rest).toMatchObject({ violations: [{ pointer: '' }] });
    const text = await examine(small, { schema: surely, type: 'text' });
    expect(text).toMatchObject({ atOnce: false });
  });

  it('nothing for a caller that has gone', async () => {
    const caller = new AbortController();
    const pending = examine(json(MIB), {}, caller.signal);
    await setImmediate();
    caller.abort();
    await expect(pending).rejects.toThrow(Cancelled);
  });

  it('nothing that the thread fails to take', async () => {
    const odd = { contentType: (() => 'no thread takes a function') as never };
    expect((await examine(json(MIB), odd)).rest).toEqual({
      reason: 'could not be examined: it needs more time or memory than allowed',
    });
  });

  it('nothing where 256 others wait', async () => {
    const [body, caller] = [json(MIB / 16 + 1), new AbortController()];
    const pending = Array.from({ length: 260 }, () =>
      examine(body, { type: 'text' }, caller.signal),
    );
    await setImmediate();
    caller.abort();
    const settled = await Promise.allSettled(pending);
    const withheld = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    // One has the thread, and 256 wait.
    expect(withheld).toHaveLength(3);
    for (const { rest } of withheld)
      expect(rest).toEqual({ reason: 'could not be examined: too many others are' });
  });

  const violationsOf = async (members: number, by = examiner) => {
    const schema = { schema: readSchema('{}'), admits: () => false };
    const bytes = Buffer.from(`[${'[],'.repeat(members - 1)}[]]`);
    const examined = await by.examine({ ...OPTIONS, bytes, redactor, schema }, CALLER);
    return 'violations' in examined ? examined.violations.length : undefined;
  };

  it('a body that is parsed takes six times the limit, or 8 MiB if that is more', async () => {
    const perMember = 64 + 8;
    const within = (bytes: number) => Math.floor(bytes / perMember) - 1;
    expect(await violationsOf(within(8 * MIB))).toBe(0);
    expect(await violationsOf(within(8 * MIB) + 2)).toBe(1);
    const larger = createExaminer(2 * MIB);
    expect(await violationsOf(within(12 * MIB), larger)).toBe(0);
    await larger.close();
  });
});
