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

/**
 * The names of settings that sources mention; those under a prefix of their own are put
 * together there.
 */
const SOURCES = globSync('{packages,services,examples}/*/{src,demo}/**/*.ts', { cwd: ROOT })
  .map(read)
  .join('\n');
const isSetting = (name: string) =>
  SOURCES.includes(name) ||
  SOURCES.includes(name.replace(/^(?:POLICY|HTTP_EXECUTOR|GATEWAY)_/, ''));

describe('docker-compose.yml', () => {
  const compose = read('docker-compose.yml');
  const settings = [...compose.matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name = '']) => name);

  it('sets what the services read', () => {
    expect(settings.length).toBeGreaterThan(20);
    expect(settings.filter((name) => !name.startsWith('GF_') && !isSetting(name))).toEqual([]);
  });

  it('takes every setting of .env.example', () => {
    const examples = [...read('.env.example').matchAll(/^# ([A-Z_]+)=/gm)].map(
      ([, name = '']) => name,
    );
    expect(
      examples.filter((name) => !new RegExp(`^ +${name}:|\\$\\{${name}[:-]`, 'm').test(compose)),
    ).toEqual([]);
  });
});

describe('the Swarm stack', () => {
  const stack = read('deploy/swarm/stack.yml');
  const proxy = read('deploy/swarm/haproxy.cfg');

  it('sets what the services read', () => {
    const settings = [...stack.matchAll(/^ +([A-Z]+_[A-Z_]+):|, ([A-Z]+_[A-Z_]+):/gm)].map(
      ([, a, b]) => a ?? b ?? '',
    );
    expect(settings).toContain('POLICY_API_TOKENS_FILE');
    expect(settings).toContain('SHUTDOWN_DELAY_MS');
    expect(settings.filter((name) => !isSetting(name))).toEqual([]);
  });

  it('asks for readiness where the services answer it, at the ports of their images', () => {
    expect(proxy).toContain(`option httpchk GET ${SERVICE_PATHS.ready}\n`);
    const targets = [...proxy.matchAll(/tasks\.(\w+):(\d+)/g)].map(([, name, port]) => [
      name,
      Number(port),
    ]);
    expect(targets).toEqual([
      ['policy', 8081],
      ['executor', 8092],
    ]);
  });

  it('leaves a replica the time to drain before it is killed', () => {
    const milliseconds = (name: string) => Number(new RegExp(`${name}: "(\\d+)"`).exec(stack)?.[1]);
    const needed = milliseconds('SHUTDOWN_DELAY_MS') + milliseconds('SHUTDOWN_GRACE_MS');
    expect(Number(/stop_grace_period: (\d+)s/.exec(stack)?.[1]) * 1_000).toBeGreaterThan(needed);
  });
});
