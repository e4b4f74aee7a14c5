import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICE_PATHS } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const DOCKERFILES = [
  ['Dockerfile.policy', '@gatehouse/policy-service', 'services/policy', 'POLICY', 8081],
  [
    'Dockerfile.executor',
    '@gatehouse/executor-service',
    'services/executor',
    'HTTP_EXECUTOR',
    8092,
  ],
  [
    'examples/gateway/Dockerfile',
    '@gatehouse/example-gateway',
    'examples/gateway',
    'GATEWAY',
    8070,
  ],
] as const;

/**
 * Without what is meant to differ: comment on top, labels for people, package, folder,
 * prefix and port.
 */
function common([file, name, folder, prefix, port]: (typeof DOCKERFILES)[number]): string {
  return read(file)
    .replace(/^#.*\n/, '')
    .replace(/(title|description)=".*"/g, '$1')
    .replace(new RegExp(`${name}|${folder}|\\b${prefix}(?=\\b|_)|\\b${port}\\b`, 'g'), '…');
}

describe('the Dockerfiles', () => {
  it('differ in what is about each service alone', () => {
    const [policy, ...others] = DOCKERFILES.map(common);
    for (const other of others) expect(other).toBe(policy);
  });

  it.each(DOCKERFILES)('%s starts a file of a package that there is', (file, name, folder) => {
    expect(JSON.parse(read(`${folder}/package.json`)).name).toBe(name);
    expect(read(file)).toContain(`CMD ["node", "${folder}/src/main.ts"]`);
    expect(globSync(`${folder}/src/main.ts`, { cwd: ROOT })).toHaveLength(1);
  });
});

describe('the Swarm stack', () => {
  const stack = read('deploy/swarm/stack.yml');
  const proxy = read('deploy/swarm/haproxy.cfg');

  it('asks for readiness where the services answer it', () => {
    expect(proxy).toContain(`option httpchk GET ${SERVICE_PATHS.ready}\n`);
  });

  it('leaves a replica the time to drain before it is killed', () => {
    const milliseconds = (name: string) => Number(new RegExp(`${name}: "(\\d+)"`).exec(stack)?.[1]);
    const needed = milliseconds('SHUTDOWN_DELAY_MS') + milliseconds('SHUTDOWN_GRACE_MS');
    expect(Number(/stop_grace_period: (\d+)s/.exec(stack)?.[1]) * 1_000).toBeGreaterThan(needed);
  });
});
