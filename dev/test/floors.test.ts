import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Folders of a package, and the files beside them, from the lowest floor to the highest. Each
 * imports only lower floors.
 */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'packages/service/src': [
    ['problems'],
    ['http'],
    ['access', 'limits', 'observe', 'docs'],
    ['server'],
    ['index.ts'],
  ],
  'packages/http-executor/src': [
    ['destinations', 'errors.ts', 'limits.ts', 'retry-after.ts', 'text.ts', 'turns.ts'],
    ['addresses', 'secrets', 'json-schema', 'clock.ts', 'links.ts', 'wire.ts'],
    ['threads', 'transport', 'credentials'],
    ['decisions', 'effects', 'sandbox.ts'],
    ['guard'],
    ['admission', 'part', 'effect.ts'],
    ['attempt'],
    ['retry'],
    ['decode.ts', 'dry-run.ts'],
    ['outcome', 'redact.ts', 'validate.ts'],
    ['execute.ts'],
    ['open-executor.ts'],
    ['index.ts'],
  ],
};

const IMPORT = /(?:from|import\()\s*'(\.[^']+)'/g;
/** Returns a folder, or a file that is in none. */
const roomOf = (file: string) => file.split('/')[0];

/** Lists pairs of folders or files. The first of a pair imports the second. */
function tiesIn(root: string): string[][] {
  const ties = globSync('**/*.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const targets = [...text.matchAll(IMPORT)].map(([, path = '']) =>
      roomOf(normalize(join(dirname(file), path))),
    );
    const own = roomOf(file);
    return targets.flatMap((target) => (own === target ? [] : `${own} ${target}`));
  });
  return [...new Set(ties)].map((tie) => tie.split(' '));
}

it.each(Object.entries(FLOORS))(
  'the folders and files of %s import only lower floors',
  (root, floors) => {
    const floorOf = (room = '') => floors.findIndex((floor) => floor.includes(room));
    const ties = tiesIn(join(import.meta.dirname, '../..', root));
    expect(ties.length).toBeGreaterThan(10);
    expect(ties.filter(([from, to]) => floorOf(from) <= floorOf(to) || floorOf(to) < 0)).toEqual(
      [],
    );
  },
);

it('the folders of service have few ties', () => {
  const all = tiesIn(join(import.meta.dirname, '../../packages/service/src'));
  const ties = all.filter(([from]) => from !== 'index.ts');
  expect(ties.length).toBeLessThanOrEqual(15);
});
