import { afterAll, beforeAll } from 'vitest';

/**
 * One executor, say, for a long table: starts before the first test of the file or group,
 * ends after the last one.
 */
export function shared<T extends AsyncDisposable>(start: () => Promise<T>): () => T {
  let running: T | undefined;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running?.[Symbol.asyncDispose]());
  return () => {
    if (running === undefined) throw new Error('what is shared exists only while tests run');
    return running;
  };
}
