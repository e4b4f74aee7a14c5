import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mustCheck, refusalOf } from './checks.ts';

const DOCUMENT = new URL('../../../../docs/response-schemas.md', import.meta.url);

/** Returns the cells of each row below a heading of docs/response-schemas.md. */
function rowsBelow(heading: string): string[][] {
  const section = readFileSync(DOCUMENT, 'utf8')
    .split('\n## ')
    .find((each) => each.startsWith(heading));
  const rows = (section ?? '').split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

const jsonIn = (cell: string) => cell.replaceAll('`', '');

it('checks each body of the table as the table says', () => {
  const rows = rowsBelow('Where Ajv differs');
  const found = rows.map(([name, schema = '', body = '']) => {
    const [violation] = mustCheck(jsonIn(schema))(jsonIn(body));
    const isUnchecked = violation?.message.includes('could not be checked');
    return [name, violation === undefined ? 'valid' : isUnchecked ? 'not checked' : 'invalid'];
  });
  expect(found).toEqual(rows.map(([name, , , , ajv]) => [name, ajv]));
  expect(rows.length).toBeGreaterThan(5);
});

it('refuses each example of the other table', () => {
  const examples = rowsBelow('Refused').map(([, example = '']) => jsonIn(example));
  const schemas = examples.filter((each) => each.startsWith('{'));
  for (const schema of schemas) {
    const inner = schema.includes('"id"')
      ? { $schema: 'http://json-schema.org/draft-04/schema' }
      : {};
    const nested = { ...inner, properties: { a: JSON.parse(schema) } };
    expect(refusalOf(nested)?.pointer, schema).toMatch(/^\/properties\/a\//);
  }
  expect(schemas.length).toBeGreaterThan(10);
});
