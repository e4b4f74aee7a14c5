import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
    // Test files share one stack of containers, so they run one after another.
    fileParallelism: false,
    bail: 1,
  },
});
