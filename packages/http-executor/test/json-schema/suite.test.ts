import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bundled } from './bundle.ts';
import { checkOf } from './checks.ts';

/** Numbers of tests with a correct verdict, and of tests whose schema is refused. */
const DRAFTS: [folder: string, $schema: string, right: number, refused: number][] = [
  ['draft2020-12', 'https://json-schema.org/draft/2020-12/schema', 1_021, 102],
  ['draft2020-12/optional', 'https://json-schema.org/draft/2020-12/schema', 148, 6],
  ['draft2019-09', 'https://json-schema.org/draft/2019-09/schema', 1_027, 85],
  ['draft7', 'http://json-schema.org/draft-07/schema#', 801, 9],
  ['draft6', 'http://json-schema.org/draft-06/schema#', 761, 13],
  ['draft4', 'http://json-schema.org/draft-04/schema#', 523, 50],
];

/** Tests with a wrong verdict, by the row of the table in docs/response-schemas.md. */
const DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  'A quotient without a double': [
    'multipleOf.json: float division = inf: always invalid, but naive implementations may raise an overflow error',
    'multipleOf.json: float division = inf: invalid, but naive implementations may raise an overflow error',
  ],
};
const TABLE = readFileSync(
  new URL('../../../../docs/response-schemas.md', import.meta.url),
  'utf8',
);

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

it.each(DRAFTS)('has only known differences in %s', (folder, $schema, right, refused) => {
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
  const known = new Set(Object.values(DIFFERENCES).flat());
  const wrong = found.wrong.filter((name) => !known.has(name));
  expect({ ...found, wrong }).toEqual({ right, refused, wrong: [] });
  for (const row of Object.keys(DIFFERENCES)) expect(TABLE).toContain(`| ${row}`);
});

/** Makes a schema usable in an action: an object that embeds the documents it refers to. */
function asObject(schema: unknown, draft: string): object {
  const isObject = typeof schema === 'object' && schema !== null;
  return isObject ? bundled(schema, draft) : { allOf: [schema] };
}
