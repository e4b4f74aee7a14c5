import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** One object for Kubernetes, as far as all kinds agree. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const KUSTOMIZATION = 'kustomization.yaml';

/** Fields whose meaning `render` knows. */
const RENDERED = new Set(['apiVersion', 'kind', 'resources']);

/**
 * The manifests of a kustomization, in its order: those of its `resources`, which are
 * files and further kustomizations. Throws on whatever else a kustomization may hold, so
 * that what is checked is what `kubectl kustomize` prints.
 */
export function render(folder: string): Manifest[] {
  const [kustomization = {}] = documentsOf(join(folder, KUSTOMIZATION)) as {
    readonly resources?: string[];
  }[];
  const unknown = Object.keys(kustomization).filter((field) => !RENDERED.has(field));
  if (unknown.length > 0)
    throw new Error(`${folder}: only kustomize itself can render ${unknown.join(', ')}`);
  return (kustomization.resources ?? []).flatMap((resource) => {
    const path = join(folder, resource);
    return statSync(path).isDirectory() ? render(path) : (documentsOf(path) as Manifest[]);
  });
}

function documentsOf(path: string): unknown[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
    return document.toJS();
  });
}

/** How a manifest is called in a message: `Deployment/gatehouse-policy`. */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata?.name}`;
}
