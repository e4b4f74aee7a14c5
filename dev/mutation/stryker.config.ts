import { resolve } from 'node:path';

// `MUTATE=packages/policy/src pnpm run mutate` lists small code changes (mutants) that the
// package's tests do not detect. `MUTATE` is the path of the folder or file to mutate.

const target = process.env.MUTATE ?? 'packages/policy/src';
const [, name = ''] = /^packages\/([^/]+)/.exec(target) ?? [];

export default {
  mutate: [target.endsWith('.ts') ? target : `${target}/**/*.ts`],
  testRunner: 'vitest',
  plugins: [resolve('node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
  vitest: {
    configFile: 'dev/mutation/vitest.config.ts',
    dir: `packages/${name}/test`,
    related: false,
  },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  reporters: ['clear-text', 'progress'],
  thresholds: { high: 95, low: 90, break: 90 },
  tsconfigFile: 'none, because Stryker needs TypeScript 5 to rewrite a tsconfig',
};
