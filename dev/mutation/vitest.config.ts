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
    // Running these slow tests would add several seconds for each surviving mutant.
    exclude: ['packages/http-executor/test/json-schema/suite.test.ts', '**/*.slow.test.ts'],
    // A mutant may loop forever. On unchanged code, every test ends within about a second.
    testTimeout: 10_000,
  },
});
