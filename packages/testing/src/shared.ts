import { afterAll, beforeAll } from 'vitest';

/**
 * Starts a resource before the first test of the file or group and disposes of it after the
 * last one.
 */
export function shared<T extends AsyncDisposable>(start: () => Promise<T>): () => T {
  let running: T | undefined;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running?.[Symbol.asyncDispose]());
  return () => {
    if (running === undefined) throw new Error('a shared resource exists only while tests run');
    return running;
  };
}
