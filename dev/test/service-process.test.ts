import { mkdirSync, mkdtempDisposableSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { mainOf } from '../service-process.ts';

const SOURCE = 'services/policy/src/main.ts';
const BUNDLE = 'services/policy/dist/main.mjs';
const [EARLIER, BUILT, LATER] = [1_000, 2_000, 3_000];

it.each([
  ['nothing', undefined, BUNDLE],
  ['its source', SOURCE, SOURCE],
  ['the source of a package', 'packages/service/src/a/b.ts', SOURCE],
  ['a manifest', 'packages/service/package.json', SOURCE],
  ['the lockfile', 'pnpm-lock.yaml', SOURCE],
  ['the workspace', 'pnpm-workspace.yaml', SOURCE],
  ['how it is bundled', 'rolldown.config.ts', SOURCE],
  ['a document', 'README.md', BUNDLE],
])('where %s has changed since the build, %s, a service runs from %s', (_name, changed, main) => {
  using root = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-'));
  const write = (file: string, seconds: number) => {
    mkdirSync(dirname(join(root.path, file)), { recursive: true });
    writeFileSync(join(root.path, file), '');
    utimesSync(join(root.path, file), seconds, seconds);
  };
  write(SOURCE, EARLIER);
  write(BUNDLE, BUILT);
  if (changed !== undefined) write(changed, LATER);
  expect(mainOf('policy', root.path)).toBe(join(root.path, main));
});
