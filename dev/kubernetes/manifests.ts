import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { merge } from './merge.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Kustomization {
  readonly kind?: string;
  readonly resources?: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
}

const RENDERED = new Set(['apiVersion', 'kind', 'resources']);
const RENDERED_IN_COMPONENT = new Set([...RENDERED, 'patches']);

/**
 * Lists the manifests in a kustomization's `resources`, including those of nested kustomizations.
 * @throws if a kustomization has a field that this function does not support, such as `patches`.
 */
export function render(folder: string): Manifest[] {
  return resourcesOf(folder, read(folder, RENDERED));
}

export const isComponent = (folder: string): boolean =>
  read(folder, RENDERED_IN_COMPONENT).kind === 'Component';

/** Adds a component to manifests: the component's own resources, and its patches. */
export function addComponent(manifests: readonly Manifest[], folder: string): Manifest[] {
  const component = read(folder, RENDERED_IN_COMPONENT);
  const patches = (component.patches ?? []).flatMap(({ path }) => documentsOf(join(folder, path)));
  return (patches as Manifest[]).reduce(
    (all, patch) => {
      const patched = all.find((each) => nameOf(each) === nameOf(patch));
      if (patched === undefined) throw new Error(`${folder}: there is no ${nameOf(patch)}`);
      return all.map((each) => (each === patched ? (merge(each, patch) as Manifest) : each));
    },
    [...manifests, ...resourcesOf(folder, component)],
  );
}

function read(folder: string, rendered: ReadonlySet<string>): Kustomization {
  const [kustomization = {}] = documentsOf(join(folder, 'kustomization.yaml')) as Kustomization[];
  const unknown = Object.keys(kustomization).filter((field) => !rendered.has(field));
  if (unknown.length > 0)
    throw new Error(`${folder}: only kustomize itself can render ${unknown.join(', ')}`);
  return kustomization;
}

function resourcesOf(folder: string, { resources = [] }: Kustomization): Manifest[] {
  return resources.flatMap((resource) => {
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
