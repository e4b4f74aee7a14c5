import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

interface Manifest {
  readonly name: string;
  readonly exports?: string | Record<string, string>;
}

/** Makes imports of our packages load Stryker's mutated copy, not the original packages. */
const alias = readdirSync('packages').flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(resolve('packages', folder, 'package.json'), 'utf8'));
  const { name, exports = {} } = manifest as Manifest;
  return Object.entries(typeof exports === 'string' ? { '.': exports } : exports)
    .filter(([, file]) => file.endsWith('.ts'))
    .map(([path, file]) => ({
      find: new RegExp(`^${name}${path.slice(1)}$`),
      replacement: resolve('packages', folder, file),
    }));
});

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['**/*.test.ts'],
    setupFiles: ['packages/testing/src/same-cases.ts'],
    // Running these tests would add several seconds for each surviving mutant.
    exclude: ['**/*.{slow,tools}.test.ts'],
    // A mutant may loop forever. On unchanged code, the slowest test takes ten seconds.
    testTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
