import {
  mkdirSync,
  mkdtempDisposableSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { PROFILE } from './support/manifests.ts';

type Files = Readonly<Record<string, string>>;

/**
 * Updates a volume in the same way as the kubelet, which writes all files into a new folder, swaps
 * the link `..data`, and then removes the old folder.
 */
function volumeIn(folder: string) {
  let version = 0;
  return (files: Files) => {
    const at = (name: string) => join(folder, name);
    const next = `..2026_11_22_09_00_00.${++version}`;
    mkdirSync(at(next));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(at(next), name), text);
    symlinkSync(next, at('..data_tmp'));
    renameSync(at('..data_tmp'), at('..data'));
    if (version > 1) rmSync(at(`..2026_11_22_09_00_00.${version - 1}`), { recursive: true });
    else for (const name of Object.keys(files)) symlinkSync(join('..data', name), at(name));
  };
}

it('a policy process applies each change of a mounted ConfigMap, except mistakes', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-'));
  const write = volumeIn(folder.path);
  write(PROFILE.data);
  const file = join(folder.path, 'profile.yaml');
  await using policy = await startService('policy', { POLICY_PROFILE_FILE: file });
  const inForce = async () => {
    const text = await (await fetch(`${policy.url}/metrics`)).text();
    return [...text.matchAll(/^policy_profile_info\{profile="(\w+)",version="(\w+)"/gm)]
      .map(([, name, version]) => `${name} ${version}`)
      .join();
  };
  expect(await inForce()).toBe('default 1');
  for (const version of ['2', '3']) {
    write({ 'profile.yaml': `name: acme\nversion: "${version}"\n` });
    await expect.poll(inForce).toBe(`acme ${version}`);
  }
  write({ 'profile.yaml': 'name: acme\nversion: 4\n' });
  await policy.printed(/policy profile invalid; the last good one stays/);
  expect(policy.lines().at(-1)).toMatchObject({
    reason: expect.stringContaining(`${file}:2:1: /version`),
  });
  expect(await inForce()).toBe('acme 3');
});
