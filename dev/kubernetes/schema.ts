import { existsSync } from 'node:fs';
import { type Manifest, nameOf } from './manifests.ts';

/** One value that the schema of its kind does not take. */
interface SchemaError {
  readonly instancePath: string;
  readonly message?: string;
}

type Model = new (manifest: Manifest) => { validate(): void };

/**
 * What the schemas of Kubernetes find wrong with the members of a manifest that they
 * know.
 */
export async function schemaViolations(manifest: Manifest): Promise<string[]> {
  const model = await modelOf(manifest);
  if (model === undefined)
    return [`${nameOf(manifest)}: there is no ${manifest.kind} in ${manifest.apiVersion}`];
  try {
    new model(manifest).validate();
    return [];
  } catch (error) {
    const { errors } = error as { readonly errors?: readonly SchemaError[] };
    if (errors === undefined) throw error;
    return errors.map(
      ({ instancePath, message }) => `${nameOf(manifest)}${instancePath} ${message}`,
    );
  }
}

/**
 * The module that describes a kind: its path in `kubernetes-models` is that of the API.
 */
export function moduleOf({ apiVersion, kind }: Manifest): string {
  return `kubernetes-models/${apiVersion}/${kind}`;
}

async function modelOf(manifest: Manifest): Promise<Model | undefined> {
  const name = moduleOf(manifest);
  if (!existsSync(new URL(`../../node_modules/${name}.js`, import.meta.url))) return undefined;
  const module = (await import(name)) as Record<string, Model>;
  return module[manifest.kind];
}
