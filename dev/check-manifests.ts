import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { render } from './kubernetes/manifests.ts';
import { violationsOf } from './kubernetes/violations.ts';

const ROOT = fileURLToPath(new URL('../deploy/kubernetes', import.meta.url));

const kustomizations = globSync('**/kustomization.yaml', { cwd: ROOT });
const manifests = kustomizations.flatMap((file) => render(dirname(`${ROOT}/${file}`)));
const violations = await violationsOf(manifests);
for (const violation of new Set(violations)) process.stderr.write(`${violation}\n`);
if (violations.length > 0 || manifests.length === 0) process.exitCode = 1;
process.stdout.write(`Checked ${manifests.length} Kubernetes manifests.\n`);
