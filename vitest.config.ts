import { defineConfig } from 'vitest/config';

const FOLDERS = ['{packages,services,examples}/*/test', '{dev,deploy}/test'];
const SAME_CASES = 'packages/testing/src/same-cases.ts';
/**
 * Builds the services first, because tests run the same bundles as the container images.
 */
const BUILD_SERVICES = 'dev/build-services.ts';
const named = (ending: string) => FOLDERS.map((folder) => `${folder}/**/*${ending}`);

export default defineConfig({
  test: {
    coverage: {
      include: ['{packages,services,examples}/*/src/**'],
      exclude: ['packages/testing/**'],
      reporter: ['text', 'html'],
    },
    projects: [
      {
        test: {
          name: 'fast',
          include: named('.test.ts'),
          exclude: ['io', 'tools', 'slow'].flatMap((tier) => named(`.${tier}.test.ts`)),
          setupFiles: [SAME_CASES, 'packages/testing/src/refuse-io.ts'],
          pool: 'threads',
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: false },
          testTimeout: 180_000,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          name: 'io',
          include: named('.io.test.ts'),
          globalSetup: BUILD_SERVICES,
          setupFiles: [SAME_CASES],
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // Use more workers than cores, because these tests spend most of their time waiting.
          maxWorkers: 6,
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          name: 'tools',
          include: named('.tools.test.ts'),
          globalSetup: BUILD_SERVICES,
          setupFiles: [SAME_CASES],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          name: 'slow',
          include: named('.slow.test.ts'),
          globalSetup: BUILD_SERVICES,
          setupFiles: [SAME_CASES],
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
