import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { render } from './kubernetes/manifests.ts';
import { violationsOf } from './kubernetes/violations.ts';

const ROOT = join(import.meta.dirname, '../deploy/kubernetes');

const kustomizations = globSync('**/kustomization.yaml', { cwd: ROOT });
const manifests = kustomizations.flatMap((file) => render(dirname(`${ROOT}/${file}`)));
const violations = await violationsOf(manifests);
for (const violation of new Set(violations)) process.stderr.write(`${violation}\n`);
if (violations.length > 0 || manifests.length === 0) process.exitCode = 1;
process.stdout.write(`Checked ${manifests.length} Kubernetes manifests.\n`);
