import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Manifest, render } from '../../../dev/kubernetes/manifests.ts';
import type { ConfigMap, Deployment } from './kubernetes.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const MANIFESTS = render(join(ROOT, 'deploy/kubernetes/base'));

/** Finds a manifest. @throws unless exactly one manifest has this kind and name. */
export const named = <M extends Manifest>(kind: string, name: string): M => {
  const [manifest, ...more] = MANIFESTS.filter(
    (each) => each.kind === kind && each.metadata.name === name,
  );
  if (manifest === undefined || more.length > 0)
    throw new Error(`There is not exactly one ${kind}/${name}.`);
  return manifest as M;
};

/** Both services with the parts of their manifests that most tests need. */
export const SERVICES = (['policy', 'executor'] as const).map((service) => {
  const name = `gatehouse-${service}`;
  const deployment = named<Deployment>('Deployment', name);
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  if (container === undefined || pod.containers.length > 1)
    throw new Error(`${name} does not have exactly one container.`);
  const env = Object.fromEntries(container.env.map((each) => [each.name, each.value]));
  return {
    service,
    name,
    deployment,
    labels: deployment.spec.template.metadata.labels,
    pod,
    container,
    env,
  };
});

export const PROFILE = named<ConfigMap>('ConfigMap', 'gatehouse-policy-profile');
