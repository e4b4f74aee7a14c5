import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{packages,services,examples}/*/test/**/*.test.ts', '{dev,deploy}/test/**/*.test.ts'],
    testTimeout: 40_000,
  },
});
