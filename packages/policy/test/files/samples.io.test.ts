import { globSync, readFileSync } from 'node:fs';
import { ProfileFile } from '@gatehouse/contracts';
import { defaultProfile } from '@gatehouse/policy';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readProfileFile } from '../../src/files/index.ts';

const FOLDER = new URL('../../../../examples/profiles/', import.meta.url).pathname;
const SCHEMA = new URL('../../../contracts/profile.schema.json', import.meta.url);
const samples = globSync('*.yaml', { cwd: FOLDER });

it('ships the default profile of the specification with every member set', () => {
  const path = `${FOLDER}default.yaml`;
  expect(readProfileFile(path).default).toEqual(defaultProfile);
  expect(parse(readFileSync(path, 'utf8'))).toEqual(defaultProfile);
});

it('ships samples that are valid, also under the published schema', () => {
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8'));
  const validate = new Ajv({ strictTypes: false }).compile(schema);
  expect(samples.length).toBeGreaterThanOrEqual(5);
  for (const name of samples) {
    expect(readProfileFile(`${FOLDER}${name}`).all.length, name).toBeGreaterThan(0);
    validate(parse(readFileSync(`${FOLDER}${name}`, 'utf8')));
    expect([name, validate.errors]).toEqual([name, null]);
  }
  for (const bad of [{}, { name: 'a', spent: {} }, { profiles: [{}], default: 'a' }])
    expect([bad, validate(bad)]).toEqual([bad, false]);
  expect(schema.title).toBe(ProfileFile.title);
});
