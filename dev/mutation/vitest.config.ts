import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** `@gatehouse/<name>` is the copy that holds the mutants, not the package of the checkout. */
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
    // Seconds for each mutant that others do not kill.
    exclude: ['packages/json-schema/test/suite.test.ts', '**/*.slow.test.ts'],
    // A mutant may wait forever; the slowest of these tests takes a second.
    testTimeout: 10_000,
  },
});
