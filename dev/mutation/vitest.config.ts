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
    include: [`**/${process.env.MUTATION_TESTS}.test.ts`],
    // Seconds for each mutant of a constant, and it judges schemas alone.
    exclude: ['**/json-schema-suite.test.ts'],
    testTimeout: 40_000,
  },
});
