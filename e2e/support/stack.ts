import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROJECT = ['--project-name', 'gatehouse-e2e'];
const FILES = ['--file', 'docker-compose.yml', '--file', 'e2e/upstream.yml'];
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
const FOR_DOCKER = /^(?:DOCKER_|BUILDKIT_|BUILDX_|NODE_IMAGE$|PATH$|HOME$)/;

const run = promisify(execFile);

/** Runs `docker` and returns its output. @throws an error with the output if `docker` fails. */
export async function docker(...args: string[]): Promise<string> {
  const kept = Object.entries(process.env).filter(([name]) => FOR_DOCKER.test(name));
  const env = { ...Object.fromEntries(kept), ...SETTINGS };
  return (await run('docker', args, { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
}

export const compose = (...args: string[]) => docker('compose', ...PROJECT, ...FILES, ...args);

/** Runs a shell command in a container. Returns the output and any nonzero exit code. */
export const inside = (service: Service, command: string) =>
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

/** Returns a service's URL on this machine. Docker chooses a new port when a service starts. */
export async function urlOf(service: Service): Promise<string> {
  return `http://${await compose('port', service, String(PORTS[service]))}`;
}

export async function postTo(service: Service, path: string, document: object) {
  const response = await fetch(`${await urlOf(service)}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
  });
  const text = await response.text();
  return { status: response.status, text, document: JSON.parse(text) };
}
