import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { parseSigningKeys } from '@gatehouse/policy/files';
import { expect, it } from 'vitest';
import { filesOfTests, run } from './support/command.ts';

const { folder } = filesOfTests();
const idsIn = (file: string) => {
  const { keys } = JSON.parse(readFileSync(file, 'utf8')) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};

it('gatehouse keygen writes a private key for one reader, and its public key', async () => {
  const file = `${folder}/one.pem`;
  expect(await run('keygen', file)).toMatchObject({ code: 0, err: '' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { kid, keySet } = parseSigningKeys(readFileSync(file, 'utf8'));
  expect(JSON.parse(readFileSync(`${file}.jwks.json`, 'utf8'))).toEqual(keySet);
  expect(keySet.keys).toHaveLength(1);
  expect(readFileSync(`${file}.jwks.json`, 'utf8')).not.toContain('"d"');
  expect(kid).toMatch(/^[\w-]{43}$/);
});

it('never replaces a key', async () => {
  const file = `${folder}/kept.pem`;
  await run('keygen', file);
  const before = [readFileSync(file, 'utf8'), readFileSync(`${file}.jwks.json`, 'utf8')];
  const again = await run('keygen', file);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('--add')]);
  expect([readFileSync(file, 'utf8'), readFileSync(`${file}.jwks.json`, 'utf8')]).toEqual(before);
});

it('changes keys in two steps, so that a new key is known before it signs', async () => {
  const file = `${folder}/rotated.pem`;
  const publicFile = `${folder}/rotated.json`;
  const signing = () => parseSigningKeys(readFileSync(file, 'utf8')).kid;
  await run('keygen', file, '--public', publicFile);
  const first = signing();
  expect((await run('keygen', file, '--public', publicFile, '--add')).code).toBe(0);
  const [, second] = idsIn(publicFile);
  expect(signing()).toBe(first);
  const { out } = await run('keygen', file, '--public', publicFile, '--use-last', '--json');
  expect(JSON.parse(out)).toMatchObject({ signs: second, accepted: [second, first] });
  expect(signing()).toBe(second);
  expect(idsIn(publicFile)).toEqual([second, first]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it.each([
  ['a missing file', 'missing.pem', undefined],
  ['another file', 'other.pem', 'name: x\n'],
])('adds no key to %s', async (_name, name, content) => {
  const file = `${folder}/${name}`;
  if (content !== undefined) writeFileSync(file, content);
  const { code, err } = await run('keygen', file, '--add');
  expect([code, err]).toEqual([2, expect.stringContaining(name)]);
});
