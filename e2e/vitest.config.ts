import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
    // Run one stack at a time, and its tests in order, because the last test stops the stack.
    fileParallelism: false,
    bail: 1,
  },
});
