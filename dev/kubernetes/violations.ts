import type { Manifest } from './manifests.ts';
import { schemaViolations } from './schema.ts';
import { unknownMembers } from './unknown-members.ts';

/**
 * All that Kubernetes would refuse in manifests, as far as that shows without a cluster;
 * needs no network.
 */
export async function violationsOf(manifests: readonly Manifest[]): Promise<string[]> {
  const wrong = (await Promise.all(manifests.map(schemaViolations))).flat();
  // A wrong value hides the unknown members beside it from the compiler, and a wrong kind
  // has no type.
  return wrong.length > 0 ? wrong : unknownMembers(manifests);
}
