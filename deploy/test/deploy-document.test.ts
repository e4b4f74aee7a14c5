import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Deployment } from './support/kubernetes.ts';
import { named, ROOT, SERVICES } from './support/manifests.ts';

const DOCUMENT = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');

interface Overlay {
  readonly images: readonly { readonly name: string }[];
  readonly patches: readonly { readonly patch: string }[];
}

const [, text = ''] = /```yaml\n(.*?)```/s.exec(DOCUMENT) ?? [];
const overlay = parse(text) as Overlay;

describe('docs/deploy.md', () => {
  it('has an overlay for the images in the base', () => {
    expect(overlay.images.map(({ name }) => name)).toEqual(
      SERVICES.map(({ container }) => container.image.replace(/:.*/, '')),
    );
  });

  it('has an overlay that patches containers in the base', () => {
    const patches = overlay.patches.map(({ patch }) => parse(patch) as Deployment);
    expect(patches.length).toBeGreaterThan(0);
    for (const { kind, metadata, spec } of patches) {
      const base = named<Deployment>(kind, metadata.name);
      expect(metadata.namespace).toBe(base.metadata.namespace);
      const names = ({ template }: Deployment['spec']) =>
        template.spec.containers.map(({ name }) => name);
      expect(names(base.spec)).toEqual(expect.arrayContaining(names(spec)));
    }
  });

  it('has a patch that mounts a destinations file in place of the list of hosts', () => {
    const [, indented = ''] = /```yaml\n( {2}configMapGenerator:.*?)```/s.exec(DOCUMENT) ?? [];
    const { configMapGenerator, patches } = parse(indented) as Overlay & {
      readonly configMapGenerator: readonly { readonly name: string; readonly files: string[] }[];
    };
    const [{ metadata, spec } = expect.fail()] = patches.map(
      ({ patch }) => parse(patch) as Deployment,
    );
    const [container = expect.fail()] = spec.template.spec.containers;
    const [{ mountPath } = expect.fail()] = container.volumeMounts;
    const [generated = expect.fail()] = configMapGenerator;
    expect(container.env).toEqual([
      { name: 'HTTP_EXECUTOR_ALLOWED_HOSTS', $patch: 'delete' },
      { name: 'HTTP_EXECUTOR_DESTINATIONS_FILE', value: `${mountPath}/${generated.files[0]}` },
    ]);
    const { volumes } = spec.template.spec;
    expect(volumes.map(({ name }) => name)).toEqual(container.volumeMounts.map(({ name }) => name));
    expect(volumes[0]?.configMap?.name).toBe(generated.name);
    const base = named<Deployment>('Deployment', metadata.name).spec.template.spec.containers[0];
    expect(base?.name).toBe(container.name);
    expect(base?.env.map(({ name }) => name)).toContain('HTTP_EXECUTOR_ALLOWED_HOSTS');
  });

  it('states the shutdown time of each service', () => {
    for (const { service, pod, env } of SERVICES) {
      const seconds = (name: string) => Number(env[name]) / 1_000;
      const [delay, grace] = [seconds('SHUTDOWN_DELAY_MS'), seconds('SHUTDOWN_GRACE_MS')];
      expect(DOCUMENT).toMatch(
        new RegExp(
          `\\| ${service}, Kubernetes \\| ${delay} s \\| ${grace} s[^|]*\\| ${pod.terminationGracePeriodSeconds} s \\|`,
        ),
      );
    }
  });
});
