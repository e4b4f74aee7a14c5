import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bundled } from './support/bundle.ts';
import { checkOf } from './support/checks.ts';

// JSON Schema Test Suite: numbers of correct verdicts and of refused tests. The refused tests use
// dynamic references with several anchors, custom dialects, mixed drafts, or a `__proto__`
// property.
const DRAFTS: [folder: string, $schema: string, right: number, refused: number][] = [
  ['draft2020-12', 'https://json-schema.org/draft/2020-12/schema', 1_082, 42],
  ['draft2020-12/optional', 'https://json-schema.org/draft/2020-12/schema', 149, 5],
  ['draft2019-09', 'https://json-schema.org/draft/2019-09/schema', 1_088, 25],
  ['draft7', 'http://json-schema.org/draft-07/schema#', 804, 7],
  ['draft6', 'http://json-schema.org/draft-06/schema#', 768, 7],
  ['draft4', 'http://json-schema.org/draft-04/schema#', 567, 7],
];

/** A schema of the suite with the bodies to check. */
interface Case {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

it.each(DRAFTS)('has no wrong verdict in %s', (folder, $schema, right, refused) => {
  const root = new URL(`./suite/tests/${folder}/`, import.meta.url);
  const found = { right: 0, refused: 0, wrong: [] as string[] };
  // Skip the tests of `format`, because they treat formats as annotations, but we assert formats.
  const files = globSync('*.json', { cwd: root }).filter((file) => !file.startsWith('format'));
  for (const file of files)
    for (const each of JSON.parse(readFileSync(new URL(file, root), 'utf8')) as Case[]) {
      const check = checkOf({ $schema, ...asObject(each.schema, folder) });
      for (const { description, data, valid } of each.tests) {
        const violations = check?.(JSON.stringify(data));
        if (violations === undefined) found.refused += 1;
        else if ((violations.length === 0) === valid) found.right += 1;
        else found.wrong.push(`${file}: ${each.description}: ${description}`);
      }
    }
  expect(found).toEqual({ right, refused, wrong: [] });
});

/** Makes a schema usable in an action: an object that embeds the documents it refers to. */
function asObject(schema: unknown, draft: string): object {
  const isObject = typeof schema === 'object' && schema !== null;
  return isObject ? bundled(schema, draft) : { allOf: [schema] };
}
