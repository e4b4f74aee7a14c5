import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addComponent, type Manifest, render } from '../../../dev/kubernetes/manifests.ts';
import type { ConfigMap, Deployment } from './kubernetes.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const BASE = render(join(ROOT, 'deploy/kubernetes/base'));
/** Base with the component that makes the executor send only what was decided. */
export const BOUND = addComponent(BASE, join(ROOT, 'deploy/kubernetes/binding'));

/** Finds a manifest. @throws unless exactly one manifest has this kind and name. */
export const named = <M extends Manifest>(kind: string, name: string, manifests = BASE): M => {
  const [manifest, ...more] = manifests.filter(
    (each) => each.kind === kind && each.metadata.name === name,
  );
  if (manifest === undefined || more.length > 0)
    throw new Error(`There is not exactly one ${kind}/${name}.`);
  return manifest as M;
};

/** Returns a service with the parts of its manifests that most tests need. */
function serviceIn(manifests: Manifest[], service: 'policy' | 'executor') {
  const name = `gatehouse-${service}`;
  const deployment = named<Deployment>('Deployment', name, manifests);
  const { metadata, spec: pod } = deployment.spec.template;
  const [container] = pod.containers;
  if (container === undefined || pod.containers.length > 1)
    throw new Error(`${name} does not have exactly one container.`);
  const env = Object.fromEntries(container.env.map((each) => [each.name, each.value]));
  return { service, name, deployment, labels: metadata.labels, pod, container, env };
}

/** Both services of the base. */
export const SERVICES = (['policy', 'executor'] as const).map((each) => serviceIn(BASE, each));

export const BOUND_POLICY = serviceIn(BOUND, 'policy');
export const BOUND_EXECUTOR = serviceIn(BOUND, 'executor');

export const PROFILE = named<ConfigMap>('ConfigMap', 'gatehouse-policy-profile');
