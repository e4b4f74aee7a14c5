import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Resolves `@gatehouse/<name>` to the copy that Stryker mutated, not to the checkout. */
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
    exclude: ['packages/json-schema/test/suite.test.ts', '**/*.slow.test.ts'],
    // A mutant may loop forever. Without mutants, every test ends within about a second.
    testTimeout: 10_000,
  },
});
