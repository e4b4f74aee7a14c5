import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findProgram } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { type Manifest, nameOf } from '../../dev/kubernetes/manifests.ts';
import { BOUND, ROOT } from './support/manifests.ts';

const hasKubectl = findProgram('kubectl') !== undefined;
if (!hasKubectl) console.warn('LEFT OUT: kubectl is not installed.');

/** Sorts lists of objects by name, because their order has no meaning. */
const sorted = (manifests: readonly Manifest[]): unknown =>
  JSON.parse(JSON.stringify(manifests), (_key, value) =>
    Array.isArray(value) && value.every((each) => typeof each?.name === 'string')
      ? value.toSorted((one, other) => one.name.localeCompare(other.name))
      : value,
  ).toSorted((one: Manifest, other: Manifest) => nameOf(one).localeCompare(nameOf(other)));

it.skipIf(!hasKubectl)('kustomize renders the base with its component as our tests do', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'kustomize-'));
  const at = (name: string) => relative(folder.path, join(ROOT, 'deploy/kubernetes', name));
  const overlay = { resources: [at('base')], components: [at('binding')] };
  writeFileSync(join(folder.path, 'kustomization.yaml'), stringify(overlay));
  const { stdout, stderr } = spawnSync('kubectl', ['kustomize', folder.path], { encoding: 'utf8' });
  const rendered = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  expect(stderr).toBe('');
  expect(sorted(rendered)).toEqual(sorted(BOUND));
});
