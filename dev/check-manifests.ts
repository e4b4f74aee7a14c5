import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addComponent, isComponent, render } from './kubernetes/manifests.ts';
import { violationsOf } from './kubernetes/violations.ts';

const ROOT = join(import.meta.dirname, '../deploy/kubernetes');

const folders = globSync('**/kustomization.yaml', { cwd: ROOT }).map((file) =>
  dirname(join(ROOT, file)),
);
const base = render(join(ROOT, 'base'));
const manifests = folders.flatMap((folder) =>
  isComponent(folder) ? addComponent(base, folder) : render(folder),
);
const violations = await violationsOf(manifests);
for (const violation of new Set(violations)) process.stderr.write(`${violation}\n`);
if (violations.length > 0 || manifests.length === 0) process.exitCode = 1;
process.stdout.write(`Checked ${manifests.length} Kubernetes manifests.\n`);
