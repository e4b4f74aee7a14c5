import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
    // One stack after the other, and the tests of one in their order: its last is
    // stopped.
    fileParallelism: false,
    bail: 1,
  },
});
