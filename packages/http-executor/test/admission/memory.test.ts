import { describe, expect, it } from 'vitest';
import { Memory } from '../../src/admission/memory.ts';

/** Says whether a reservation still waits, after all reactions to the last step have run. */
async function isWaiting(reservation: Promise<void> | undefined): Promise<boolean> {
  let waits = reservation !== undefined;
  reservation?.then(() => {
    waits = false;
  });
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return waits;
}

describe('the memory for bodies', () => {
  it('is granted at once as long as it lasts', async () => {
    const memory = new Memory(100);
    const [one, two, three] = [memory.open(), memory.open(), memory.open()];
    expect(one.reserve(40)).toBeUndefined();
    expect(two.reserve(60)).toBeUndefined();
    expect(await isWaiting(three.reserve(1))).toBe(true);
  });

  it('is granted again when an execution ends, in order of arrival', async () => {
    const memory = new Memory(100);
    const shares = [memory.open(), memory.open(), memory.open(), memory.open()] as const;
    shares[0].reserve(100);
    const [second, third, fourth] = shares.slice(1).map((share) => share.reserve(50));
    shares[0].release();
    expect([await isWaiting(second), await isWaiting(third)]).toEqual([false, false]);
    expect(await isWaiting(fourth)).toBe(true);
    shares[2].release();
    expect(await isWaiting(fourth)).toBe(false);
  });

  it('is never denied to the oldest execution, so that it ends', async () => {
    const memory = new Memory(100);
    const [oldest, other] = [memory.open(), memory.open()];
    oldest.reserve(60);
    other.reserve(40);
    expect(oldest.reserve(1_000)).toBeUndefined();
    const waiting = other.reserve(41);
    expect(await isWaiting(waiting)).toBe(true);
    oldest.release();
    expect(await isWaiting(waiting)).toBe(false);
  });

  it('is never denied to the oldest execution that still reads, whoever keeps an answer', async () => {
    const memory = new Memory(100);
    const [kept, oldest, other] = [memory.open(), memory.open(), memory.open()];
    kept.reserve(99);
    const waiting = [oldest.reserve(2), other.reserve(2)];
    expect(await isWaiting(waiting[0])).toBe(true);
    kept.finish();
    expect([await isWaiting(waiting[0]), await isWaiting(waiting[1])]).toEqual([false, true]);
    kept.release();
    expect(await isWaiting(waiting[1])).toBe(false);
  });

  it('is denied to all while answers that callers do not read fill it', async () => {
    const memory = new Memory(100);
    const [kept, oldest] = [memory.open(), memory.open()];
    kept.reserve(100);
    kept.finish();
    const waiting = oldest.reserve(1);
    expect(await isWaiting(waiting)).toBe(true);
    kept.release();
    expect(await isWaiting(waiting)).toBe(false);
  });

  it('is exhausted if answers that callers do not read take more than half of it', () => {
    const memory = new Memory(100);
    const [one, two] = [memory.open(), memory.open()];
    for (const share of [one, two]) share.reserve(26);
    one.finish();
    expect(memory.isExhausted).toBe(false);
    two.finish();
    expect(memory.isExhausted).toBe(true);
    one.release();
    expect(memory.isExhausted).toBe(false);
    two.release();
    expect(memory.open().reserve(100)).toBeUndefined();
  });

  it('counts what a share has, not what it asked for along the way', async () => {
    const memory = new Memory(100);
    const [one, two] = [memory.open(), memory.open()];
    for (const bytes of [10, 20, 50, 20]) one.reserve(bytes);
    expect(two.reserve(80)).toBeUndefined();
    expect(await isWaiting(two.reserve(81))).toBe(true);
  });

  it('forgets a reservation that an earlier attempt waited for', async () => {
    const memory = new Memory(100);
    const [one, two] = [memory.open(), memory.open()];
    one.reserve(100);
    const abandoned = two.reserve(400);
    expect(await isWaiting(abandoned)).toBe(true);
    const waiting = two.reserve(1);
    one.release();
    expect([await isWaiting(abandoned), await isWaiting(waiting)]).toEqual([true, false]);
    expect(memory.isExhausted).toBe(false);
  });

  it('is exhausted if more than four times as much is waited for', () => {
    const memory = new Memory(100);
    const [one, two, three] = [memory.open(), memory.open(), memory.open()];
    one.reserve(100);
    two.reserve(400);
    expect(memory.isExhausted).toBe(false);
    three.reserve(1);
    expect(memory.isExhausted).toBe(true);
    three.release();
    expect(memory.isExhausted).toBe(false);
    three.release();
    two.release();
    one.release();
    expect(memory.open().reserve(100)).toBeUndefined();
  });
});
