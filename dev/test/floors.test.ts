import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

/** Folders of a package from the lowest floor to the highest. Each imports only lower floors. */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'packages/service/src': [
    ['problems'],
    ['http'],
    ['access', 'limits', 'observe', 'docs'],
    ['server'],
  ],
  'packages/http-executor/src': [
    ['destinations'],
    ['addresses', 'secrets', 'json-schema'],
    ['threads', 'transport', 'credentials'],
    ['decisions', 'effects'],
    ['guard'],
    ['admission'],
    ['attempt'],
    ['retry'],
    ['outcome'],
  ],
};

const IMPORT = /(?:from|import\()\s*'(\.[^']+)'/g;
const folderOf = (file: string) => (dirname(file) === '.' ? undefined : file.split('/')[0]);

/** Lists pairs of folders. The first folder of a pair imports the second. */
function tiesIn(root: string): string[][] {
  const ties = globSync('**/*.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const targets = [...text.matchAll(IMPORT)].map(([, path = '']) =>
      folderOf(normalize(join(dirname(file), path))),
    );
    const own = folderOf(file);
    return targets.flatMap((target) => (own && target && own !== target ? `${own} ${target}` : []));
  });
  return [...new Set(ties)].map((tie) => tie.split(' '));
}

it.each(Object.entries(FLOORS))('the folders of %s import only lower floors', (root, floors) => {
  const floorOf = (folder = '') => floors.findIndex((floor) => floor.includes(folder));
  const ties = tiesIn(join(import.meta.dirname, '../..', root));
  expect(ties.length).toBeGreaterThan(10);
  expect(ties.filter(([from, to]) => floorOf(from) <= floorOf(to) || floorOf(to) < 0)).toEqual([]);
});

it('the folders of service have few ties', () => {
  const ties = tiesIn(join(import.meta.dirname, '../../packages/service/src'));
  expect(ties.length).toBeLessThanOrEqual(15);
});
