import { existsSync } from 'node:fs';
import { type Manifest, nameOf } from './manifests.ts';

interface SchemaError {
  readonly instancePath: string;
  readonly message?: string;
}

type Model = new (manifest: Manifest) => { validate(): void };

/** Validates manifests against the schemas in `kubernetes-models`, and lists the errors. */
export async function violationsOf(manifests: readonly Manifest[]): Promise<string[]> {
  return (await Promise.all(manifests.map(violationsOfOne))).flat();
}

async function violationsOfOne(manifest: Manifest): Promise<string[]> {
  const name = nameOf(manifest);
  const model = await modelOf(manifest);
  if (model === undefined)
    return [`${name}: there is no ${manifest.kind} in ${manifest.apiVersion}`];
  const unread = new Set<string>();
  const errors = schemaErrors(watched(new model(manifest), '', unread));
  // The validator reads every field that it knows, so any field left unread is unknown.
  const unknown = [...unread].filter((path) => !unread.has(path.slice(0, path.lastIndexOf('/'))));
  return [
    ...errors.map(({ instancePath, message }) => `${name}${instancePath} ${message}`),
    ...unknown.map((path) => `${name}: there is no ${path}`),
  ];
}

/** Loads a manifest's model class, such as `kubernetes-models/apps/v1/Deployment`. */
async function modelOf({ apiVersion, kind }: Manifest): Promise<Model | undefined> {
  const path = `kubernetes-models/${apiVersion}/${kind}`;
  if (!existsSync(new URL(`../../node_modules/${path}.js`, import.meta.url))) return undefined;
  return ((await import(path)) as Record<string, Model>)[kind];
}

function schemaErrors(model: { validate(): void }): readonly SchemaError[] {
  try {
    model.validate();
    return [];
  } catch (error) {
    const { errors } = error as { readonly errors?: readonly SchemaError[] };
    if (errors === undefined) throw error;
    return errors;
  }
}

/** Wraps `value` in a proxy that keeps, in `unread`, the paths of members not yet read. */
function watched<T>(value: T, path: string, unread: Set<string>): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const key of Object.keys(value)) unread.add(`${path}/${key}`);
  for (const [key, member] of Object.entries(value))
    Object.assign(value, { [key]: watched(member, `${path}/${key}`, unread) });
  return new Proxy(value, {
    get: (target, key) => {
      unread.delete(`${path}/${String(key)}`);
      return Reflect.get(target, key);
    },
  });
}
