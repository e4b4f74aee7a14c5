import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig as readExecutor } from '@gatehouse/executor-service/config';
import { readConfig as readPolicy } from '@gatehouse/policy-service/config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  Autoscaler,
  Deployment,
  DisruptionBudget,
  NetworkPolicy,
  Service,
} from './support/kubernetes.ts';
import { named, PROFILE, ROOT, SERVICES } from './support/manifests.ts';

describe.each(SERVICES)('$name', ({ name, deployment, labels }) => {
  it('selects only its own pods', () => {
    const { spec } = deployment;
    const budget = named<DisruptionBudget>('PodDisruptionBudget', name);
    const selectors = [
      spec.selector,
      budget.spec.selector,
      { matchLabels: named<Service>('Service', name).spec.selector },
    ];
    for (const { matchLabels } of selectors) {
      expect(matchLabels).toEqual({ 'app.kubernetes.io/name': name });
      expect(labels).toMatchObject(matchLabels ?? {});
    }
    expect(named<Autoscaler>('HorizontalPodAutoscaler', name).spec.scaleTargetRef).toMatchObject({
      kind: 'Deployment',
      name,
    });
  });

  it('is updated and evicted one replica at a time, and never has too few replicas', () => {
    expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(named<DisruptionBudget>('PodDisruptionBudget', name).spec.maxUnavailable).toBe(1);
    expect(
      named<Autoscaler>('HorizontalPodAutoscaler', name).spec.minReplicas,
    ).toBeGreaterThanOrEqual(2);
    expect(deployment.spec.replicas).toBeUndefined();
  });
});

describe.each(SERVICES)('a container of $name', ({ name, pod, container }) => {
  it('runs as uid 1000, read-only and without privileges', () => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('has its probes /healthz and /readyz on its named port', () => {
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz', '/readyz']);
    const [port] = container.ports;
    const [served] = named<Service>('Service', name).spec.ports;
    const [ingress] = named<NetworkPolicy>('NetworkPolicy', name).spec.ingress ?? [];
    expect(served?.port).toBe(port?.containerPort);
    const references = [
      ...probes.map(({ httpGet }) => httpGet.port),
      served?.targetPort,
      ingress?.ports[0]?.port,
    ];
    expect(new Set(references)).toEqual(new Set([port?.name]));
  });

  it('is scraped at /metrics on its port', () => {
    const { annotations } = named<Deployment>('Deployment', name).spec.template.metadata;
    const port = String(container.ports[0]?.containerPort);
    expect(annotations).toEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/path': '/metrics',
      'prometheus.io/port': port,
    });
  });
});

describe.each(SERVICES)('$name with its settings', ({ service, pod, container, env }) => {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  const tokens = join(folder, 'tokens');
  const profile = join(folder, 'profile.yaml');
  beforeAll(() => {
    writeFileSync(tokens, 'a-token-of-some-length\n');
    writeFileSync(profile, PROFILE.data['profile.yaml'] ?? '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /**
   * Reads the container's settings, with paths of temporary files in place of the paths of mounted
   * files.
   */
  const config = () =>
    service === 'policy'
      ? readPolicy({ ...env, POLICY_API_TOKENS_FILE: tokens, POLICY_PROFILE_FILE: profile })
      : readExecutor({ ...env, HTTP_EXECUTOR_API_TOKENS_FILE: tokens });

  it('accepts only callers with a token from the Secret', () => {
    expect(config().access.tokens?.accept('Bearer a-token-of-some-length')).toBeDefined();
    expect(config().access.tokens?.accept('Bearer another')).toBeUndefined();
    const [mount] = container.volumeMounts;
    const path = Object.entries(env).find(([setting]) => setting.endsWith('_API_TOKENS_FILE'))?.[1];
    expect(path).toBe(`${mount?.mountPath}/tokens`);
    const secret = pod.volumes.find((volume) => volume.name === mount?.name)?.secret?.secretName;
    expect(readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8')).toContain(
      `secret generic ${secret} --from-file=tokens=`,
    );
  });

  it('has time to drain before it is killed', () => {
    const { shutdownDelayMs, shutdownGraceMs } = config();
    expect(shutdownDelayMs).toBeGreaterThan(0);
    const total = shutdownDelayMs + shutdownGraceMs;
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(total + 5_000);
  });
});

describe('the policy service', () => {
  const [policy] = SERVICES;

  it('mounts its profile as a folder, so that it sees each change', () => {
    const { pod, container, env } = policy ?? expect.fail();
    const { name } = PROFILE.metadata;
    const volume = pod.volumes.find(({ configMap }) => configMap?.name === name);
    expect(volume?.configMap?.optional).toBeUndefined();
    const mount = container.volumeMounts.find((each) => each.name === volume?.name);
    expect(mount).toEqual({ name: volume?.name, mountPath: '/etc/gatehouse', readOnly: true });
    const [file, ...others] = Object.keys(PROFILE.data);
    expect(others).toEqual([]);
    expect(env.POLICY_PROFILE_FILE).toBe(`${mount?.mountPath}/${file}`);
  });
});

describe('the executor', () => {
  const [, executor] = SERVICES;

  it('has time to finish an attempt before it is killed', () => {
    const { HTTP_EXECUTOR_API_TOKENS_FILE: _, ...env } = executor?.env ?? {};
    const { limits, shutdownGraceMs } = readExecutor(env);
    expect(shutdownGraceMs).toBeGreaterThan(limits.attemptTimeoutMs);
  });

  it('reaches no host until an overlay allows one', () => {
    expect(executor?.env.HTTP_EXECUTOR_ALLOWED_HOSTS).toBe('');
  });
});
