import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { render } from '../../dev/kubernetes/manifests.ts';
import type { NetworkPolicy } from './support/kubernetes.ts';
import { MANIFESTS, named, ROOT, SERVICES } from './support/manifests.ts';

const GATEWAY = { matchLabels: { 'app.kubernetes.io/name': 'gatehouse-gateway' } };

const versionOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function holds(networks: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', bits] = network.split('/');
    list.addSubnet(base, Number(bits), versionOf(base));
  }
  return list.check(address, versionOf(address));
}

const POLICIES = MANIFESTS.filter(
  (manifest): manifest is NetworkPolicy => manifest.kind === 'NetworkPolicy',
);

describe('the network', () => {
  it('lets nothing in or out of the namespace that no other policy names', () => {
    expect(named<NetworkPolicy>('NetworkPolicy', 'default-deny').spec).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  it.each(SERVICES)('lets the gateway alone into $name', ({ name }) => {
    const { podSelector, policyTypes, ingress } = named<NetworkPolicy>('NetworkPolicy', name).spec;
    expect(podSelector).toEqual({ matchLabels: { 'app.kubernetes.io/name': name } });
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    expect(ingress?.map(({ from }) => from)).toEqual([[{ podSelector: GATEWAY }]]);
  });
});

describe('deploy/kubernetes/prometheus', () => {
  const [policy, ...more] = render(join(ROOT, 'deploy/kubernetes/prometheus')) as NetworkPolicy[];

  it.each(SERVICES)(
    'lets Prometheus alone into $name, besides the gateway',
    ({ labels, container }) => {
      expect(more).toEqual([]);
      expect(policy?.spec.policyTypes).toEqual(['Ingress']);
      expect(labels).toMatchObject(policy?.spec.podSelector.matchLabels ?? {});
      const [{ from = [], ports = [] } = {}, ...others] = policy?.spec.ingress ?? [];
      expect(others).toEqual([]);
      // Both selectors in one peer: pods of that name in another namespace do not count.
      expect(from).toEqual([
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } },
          podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
        },
      ]);
      expect(ports.map(({ port }) => port)).toEqual([container.ports[0]?.name]);
    },
  );
});

describe('the way out', () => {
  it("is the executor's alone", () => {
    const out = POLICIES.filter(({ spec }) =>
      spec.egress?.some(({ to }) => to.some(({ ipBlock }) => ipBlock)),
    );
    expect(out.map(({ metadata }) => metadata.name)).toEqual(['gatehouse-executor']);
    expect(named<NetworkPolicy>('NetworkPolicy', 'gatehouse-policy').spec.egress).toEqual([]);
  });

  it.each([
    ['93.184.215.14', true],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
    ['169.254.169.254', false],
    ['168.63.129.16', false],
    ['100.100.100.200', false],
    ['10.0.0.1', false],
    ['172.16.0.1', false],
    ['172.32.0.1', true],
    ['192.168.255.255', false],
    ['fd00:ec2::254', false],
    ['fe80::1', false],
    ['2002:a00:1::', false],
  ])('leads the executor to %s: %s', (address, reached) => {
    const { egress = [] } = named<NetworkPolicy>('NetworkPolicy', 'gatehouse-executor').spec;
    const blocks = egress.flatMap(({ to }) => to).flatMap(({ ipBlock }) => ipBlock ?? []);
    expect(
      blocks.some(({ cidr, except }) => holds([cidr], address) && !holds(except ?? [], address)),
    ).toBe(reached);
  });

  it('leads others to names or to our own pods alone', () => {
    for (const { spec } of POLICIES) {
      for (const { to, ports } of spec.egress ?? []) {
        for (const { ipBlock, namespaceSelector, podSelector } of to) {
          if (ipBlock !== undefined) continue;
          expect(podSelector).toBeDefined();
          if (namespaceSelector !== undefined)
            expect(ports.map(({ port }) => port)).toEqual([53, 53]);
        }
      }
    }
  });
});
