import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const RENDERED = new Set(['apiVersion', 'kind', 'resources']);

/**
 * Lists the manifests in a kustomization's `resources`, including those of nested kustomizations.
 * @throws if a kustomization has a field that this function does not support, such as `patches`.
 */
export function render(folder: string): Manifest[] {
  const [kustomization = {}] = documentsOf(join(folder, 'kustomization.yaml')) as {
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

/** Returns a name such as `Deployment/gatehouse-policy`. */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata?.name}`;
}
