import { afterAll, beforeAll } from 'vitest';

/**
 * Starts a resource before the first test of a file or `describe`, and disposes of the resource
 * after the last test.
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
