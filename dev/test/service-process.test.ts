import {
  globSync,
  mkdirSync,
  mkdtempDisposableSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { mainOf } from '../service-process.ts';

const SOURCE = 'services/policy/src/main.ts';
const NESTED = 'packages/service/src/a/b.ts';
const BUNDLE = 'services/policy/dist/main.mjs';
const [EARLIER, BUILT, LATER] = [1_000, 2_000, 3_000];

/** A service that was built after all that it is made of was written. */
function built() {
  const root = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-'));
  const at = (file: string) => join(root.path, file);
  const write = (file: string, seconds: number) => {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), '');
    utimesSync(at(file), seconds, seconds);
  };
  for (const file of [SOURCE, NESTED, BUNDLE]) write(file, EARLIER);
  for (const each of globSync('**', { cwd: root.path })) utimesSync(at(each), EARLIER, EARLIER);
  write(BUNDLE, BUILT);
  return Object.assign(root, { write });
}

it.each([
  ['nothing', undefined, BUNDLE],
  ['its source', SOURCE, SOURCE],
  ['the source of a package', NESTED, SOURCE],
  ['a manifest', 'packages/service/package.json', SOURCE],
  ['the lockfile', 'pnpm-lock.yaml', SOURCE],
  ['the workspace', 'pnpm-workspace.yaml', SOURCE],
  ['how it is bundled', 'rolldown.config.ts', SOURCE],
  ['a document', 'README.md', BUNDLE],
])('where %s has changed since the build, %s, a service runs from %s', (_name, changed, main) => {
  using root = built();
  if (changed !== undefined) root.write(changed, LATER);
  expect(mainOf('policy', root.path)).toBe(join(root.path, main));
});

it('a service runs from source where a file was deleted since the build', () => {
  using root = built();
  rmSync(join(root.path, NESTED));
  expect(mainOf('policy', root.path)).toBe(join(root.path, SOURCE));
});
