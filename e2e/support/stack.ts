import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROJECT = ['--project-name', 'gatehouse-e2e'];

/** Compose files, to which a test can add its own. */
export const FILES = ['docker-compose.yml', 'e2e/upstream.yml'];
const SUBNET = '10.92.93.0/24';

/** Address that no host uses. Connecting to the address fails after about three seconds. */
export const UNUSED_ADDRESS = '10.92.93.250';

export const SERVICES = ['policy', 'executor', 'gateway', 'shop'] as const;
export type Service = (typeof SERVICES)[number];

const PORTS: Partial<Record<Service, number>> = { policy: 8081, executor: 8092, gateway: 8070 };

/** Environment variables that isolate the tests from `.env`, the shell and other containers. */
export const SETTINGS: Record<string, string> = {
  COMPOSE_DISABLE_ENV_FILE: '1',
  TAG: 'e2e',
  POLICY_PORT: '0',
  EXECUTOR_PORT: '0',
  GATEWAY_PORT: '0',
  UPSTREAM_SUBNET: SUBNET,
  HTTP_EXECUTOR_ALLOWED_HOSTS: `shop,flaky,bodies,${UNUSED_ADDRESS}`,
};
const FOR_DOCKER = /^(?:DOCKER_|BUILDKIT_|BUILDX_|(?:NODE|POSTGRES)_IMAGE$|PATH$|HOME$)/;

const run = promisify(execFile);

/** Runs `docker` and returns its output. @throws an error with the output if `docker` fails. */
export async function docker(...args: string[]): Promise<string> {
  const kept = Object.entries(process.env).filter(([name]) => FOR_DOCKER.test(name));
  const env = { ...Object.fromEntries(kept), ...SETTINGS };
  return (await run('docker', args, { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
}

export const compose = (...args: string[]) =>
  docker('compose', ...PROJECT, ...FILES.flatMap((file) => ['--file', file]), ...args);

/** Runs a shell command in a container. Returns the output and any nonzero exit code. */
export const inside = (service: Service | 'postgres', command: string) =>
  compose('exec', '-T', service, 'sh', '-c', `${command} 2>&1 || echo "failed: $?"`);

export async function inspect(service: Service): Promise<ContainerFacts> {
  const [facts] = JSON.parse(
    await docker('inspect', await compose('ps', '--all', '--quiet', service)),
  );
  return facts;
}

interface ContainerFacts {
  readonly Image: string;
  readonly RestartCount: number;
  readonly State: { readonly ExitCode: number; readonly StartedAt: string };
  readonly NetworkSettings: { readonly Ports: Record<string, { HostIp: string }[] | null> };
}

/**
 * Returns the URL on this machine of a service, or of one of its replicas, which are numbered from
 * 1. Docker chooses a new port when a service starts.
 */
export async function urlOf(service: Service, replica = 1): Promise<string> {
  const port = String(PORTS[service]);
  return `http://${await compose('port', '--index', String(replica), service, port)}`;
}

export async function postTo(service: Service, path: string, document: object) {
  return post(`${await urlOf(service)}${path}`, document);
}

export async function post(url: string, document: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(document),
  });
  const text = await response.text();
  const isReplayed = response.headers.get('idempotent-replayed') === 'true';
  return { status: response.status, text, document: JSON.parse(text), isReplayed };
}
