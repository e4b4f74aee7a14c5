import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createExaminer } from '../src/threads/examiner.ts';
import { createResponseSchemas } from '../src/validate/response-schemas.ts';

describe('a response schema', () => {
  const examiner = createExaminer(1024 * 1024);
  afterAll(() => examiner.close());
  const refusal = (code: string, message: string) => expect.objectContaining({ code, message });
  const UNUSABLE = 'Correct `/response_schema`: it is not a usable JSON Schema: ';
  const TOO_MUCH =
    'compiling the schema takes too much time or memory; simplify the schema or leave it out.';

  it('is compiled', async () => {
    const compiled = await examiner.compile({ type: 'null' });
    expect(compiled.schema.text).toBe('{"type":"null"}');
  });

  it('is limited in UTF-8 bytes', async () => {
    const [schema, bytes] = [{ title: 'é' }, 14];
    const [enough, small] = [createExaminer(1, bytes), createExaminer(1, bytes - 1)];
    expect(await enough.compile(schema)).toBeDefined();
    await expect(small.compile(schema)).rejects.toThrow(
      refusal(
        'InvalidResponseSchema',
        `${UNUSABLE}the schema is 14 bytes long, but the limit is 13.`,
      ),
    );
    await Promise.all([enough.close(), small.close()]);
  });

  it('is refused with a pointer if it is unusable', async () => {
    await expect(examiner.compile({ items: { type: 1 } })).rejects.toThrow(
      refusal(
        'InvalidResponseSchema',
        expect.stringMatching(
          /^Correct `\/response_schema\/items\/type`: it must be one of array, /,
        ),
      ),
    );
  });

  it('may be sent again when the threads are busy', async () => {
    const busy = createResponseSchemas(async () => 'busy');
    await expect(busy.compile({})).rejects.toThrow(
      expect.objectContaining({
        code: 'TooManyRequests',
        message: expect.stringMatching(/^Nothing was sent, because too many new response/),
      }),
    );
  });

  it('is compiled again after an unexpected error', async () => {
    const mistake = new TypeError('a mistake of our own');
    const compiled = { kind: 'compiled', schema: { dialect: 'draft-07', text: '{}' } } as const;
    const results = [Promise.reject(mistake), Promise.resolve(compiled)];
    const failing = createResponseSchemas(async () => results.shift() ?? 'busy');
    await expect(failing.compile({})).rejects.toThrow(mistake);
    expect(await failing.compile({})).toMatchObject({ schema: compiled.schema });
  });

  it('that ends its thread is refused, and tried again only after a minute', async () => {
    let compilations = 0;
    const slow = createResponseSchemas(async () => {
      compilations += 1;
      return 'beyond limits';
    });
    const start = performance.now();
    const now = vi.spyOn(performance, 'now');
    for (const [seconds, expected] of Object.entries({ 0: 1, 40: 1, 59: 1, 61: 2 })) {
      now.mockReturnValue(start + Number(seconds) * 1_000);
      // The cache reads the clock at most once per millisecond.
      await delay(5);
      await expect(slow.compile({})).rejects.toThrow(
        refusal('InvalidResponseSchema', `${UNUSABLE}${TOO_MUCH}`),
      );
      expect(compilations).toBe(expected);
    }
    now.mockRestore();
  });
});
