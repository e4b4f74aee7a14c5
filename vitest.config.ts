import { defineConfig } from 'vitest/config';

const FOLDERS = ['{packages,services,examples}/*/test', '{dev,deploy}/test'];
const named = (ending: string) => FOLDERS.map((folder) => `${folder}/**/*${ending}`);

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'fast',
          include: named('.test.ts'),
          exclude: named('.io.test.ts'),
          setupFiles: ['packages/testing/src/refuse-io.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'io',
          include: named('.io.test.ts'),
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Patience for a busy machine.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
