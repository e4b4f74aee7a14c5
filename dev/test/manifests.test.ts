import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Manifest, render } from '../kubernetes/manifests.ts';
import { violationsOf } from '../kubernetes/violations.ts';

const container = {
  name: 'a',
  image: 'b',
  readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
};

const deployment = (overrides: object = {}, spec: object = {}): Manifest =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: { containers: [{ ...container, ...overrides }] },
      },
      ...spec,
    },
  }) as Manifest;

describe('what Kubernetes would refuse', () => {
  it.each<[what: string, manifest: Manifest, message: RegExp]>([
    [
      'a misspelt probe',
      deployment({ readinesProbe: container.readinessProbe }),
      /^Deployment\/a: .*readinesProbe/,
    ],
    ['a misspelt member of the spec', deployment({}, { stratgy: {} }), /stratgy/],
    [
      'a member at the wrong level',
      deployment({ terminationGracePeriodSeconds: 1 }),
      /terminationGracePeriodSeconds/,
    ],
    [
      'a text for a number',
      deployment({ securityContext: { runAsUser: '1000' } }),
      /runAsUser must be integer/,
    ],
    [
      'a word that is none of the list',
      deployment({ imagePullPolicy: 'Maybe' }),
      /imagePullPolicy must be equal to one/,
    ],
    [
      'a missing member',
      deployment({ livenessProbe: { httpGet: { path: '/healthz' } } }),
      /required property port/,
    ],
    [
      'a malformed quantity',
      deployment({ resources: { limits: { memory: '256MB!' } } }),
      /format "quantity"/,
    ],
    [
      'a kind of another group',
      { ...deployment(), apiVersion: 'policy/v1' },
      /^Deployment\/a: there is no Deployment in/,
    ],
    [
      'an API that there is not',
      { ...deployment(), apiVersion: 'apps/v7' },
      /there is no Deployment in apps\/v7/,
    ],
  ])('is found: %s', async (_what, manifest, message) => {
    expect(await violationsOf([deployment(), manifest])).toEqual(
      expect.arrayContaining([expect.stringMatching(message)]),
    );
  });

  it('is not found in what is right', async () => {
    expect(await violationsOf([deployment()])).toEqual([]);
  });
});

describe('rendering a kustomization', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kustomization-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string) => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  };

  it('takes every document of its files, and further kustomizations', () => {
    write('base/kustomization.yaml', 'kind: Kustomization\nresources: [a.yaml]\n');
    write('base/a.yaml', 'kind: A\n---\nkind: B\n');
    write('more/kustomization.yaml', 'resources:\n  - ../base\n  - c.yaml\n');
    write('more/c.yaml', 'kind: C\n');
    expect(render(join(folder, 'more')).map(({ kind }) => kind)).toEqual(['A', 'B', 'C']);
  });

  it.each([
    [
      'a field that only kustomize can render',
      'resources: []\nimages: [{ name: a }]\n',
      /only kustomize itself can render images/,
    ],
    ['a file that does not exist', 'resources: [nowhere.yaml]\n', /nowhere\.yaml/],
    ['a key given twice', 'resources: []\nresources: []\n', /unique/],
  ])('stops at %s', (_what, content, message) => {
    write('bad/kustomization.yaml', content);
    expect(() => render(join(folder, 'bad'))).toThrow(message);
  });
});
