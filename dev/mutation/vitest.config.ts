import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Makes imports of `@gatehouse/<name>` load Stryker's mutated copy, not the original package. */
const alias = Object.fromEntries(
  readdirSync('packages').map((name) => [
    `@gatehouse/${name}`,
    resolve('packages', name, 'src/index.ts'),
  ]),
);

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['**/*.test.ts'],
    setupFiles: ['packages/testing/src/same-cases.ts'],
    // Running these slow tests would add several seconds for each surviving mutant.
    exclude: ['**/*.slow.test.ts'],
    // A mutant may loop forever. On unchanged code, the slowest test takes ten seconds.
    testTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
