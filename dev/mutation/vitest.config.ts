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

const withoutThreads = process.env.MUTATION_THREADS === 'none';
if (withoutThreads) alias.piscina = resolve('dev/mutation/threads.ts');

export default defineConfig({
  resolve: { alias },
  test: {
    include: [`**/${process.env.MUTATION_TESTS}.test.ts`],
    // What is about threads; or the suite, which takes seconds and judges schemas alone.
    exclude: [withoutThreads ? '**/response*.test.ts' : '**/json-schema-suite.test.ts'],
    testTimeout: 40_000,
  },
});
