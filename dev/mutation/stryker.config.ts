import { resolve } from 'node:path';

// `MUTATE=packages/policy-engine/src pnpm run mutate` lists the mutants that survive the package's
// tests. `MUTATE` is a folder or a file.

const target = process.env.MUTATE ?? 'packages/policy-engine/src';
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
  tsconfigFile: 'none: Stryker would use the TypeScript 5 API to rewrite a tsconfig',
};
