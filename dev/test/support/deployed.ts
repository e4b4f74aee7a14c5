import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { render } from '../../kubernetes/manifests.ts';
import type { Deployment } from './kubernetes.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export type ServiceName = 'policy' | 'executor' | 'gateway';

/** What a file outside the code takes for granted about one of our services. */
export interface Deployed {
  /** For the name of a test. */
  readonly where: string;
  readonly service: ServiceName;
  /** By name; undefined where the value comes from elsewhere, such as the shell. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Ports on which the service should listen. */
  readonly ports: readonly number[];
  /** Paths of probes and of what is scraped. */
  readonly paths: readonly string[];
}

/**
 * The service of an image, wherever its name comes from: a registry before it and a tag
 * after it may be variables.
 */
function serviceOf(image = ''): ServiceName | undefined {
  return /\bgatehouse-(?:example-)?(policy|executor|gateway)\b/.exec(image)?.[1] as
    | ServiceName
    | undefined;
}

/** All of it, in whatever of these files there is. */
export function deployed(): Deployed[] {
  return [...inKubernetes(), ...inCompose(), ...inDockerfiles()];
}

function inKubernetes(): Deployed[] {
  return render(join(ROOT, 'deploy/kubernetes/base'))
    .filter((manifest) => manifest.kind === 'Deployment')
    .flatMap((manifest) => {
      const { metadata, spec } = (manifest as Deployment).spec.template;
      const annotations = metadata.annotations ?? {};
      return spec.containers.flatMap((container) => {
        const service = serviceOf(container.image);
        if (service === undefined) return [];
        const scraped = annotations['prometheus.io/path'];
        const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
        const scrapedPort = annotations['prometheus.io/port'];
        return {
          where: `kubernetes Deployment/${manifest.metadata.name}`,
          service,
          settings: Object.fromEntries(container.env.map(({ name, value }) => [name, value])),
          ports: [
            ...container.ports.map(({ containerPort }) => containerPort),
            ...portsIn(scrapedPort),
          ],
          paths: [
            ...probes.map(({ httpGet }) => httpGet.path),
            ...(scraped === undefined ? [] : [scraped]),
          ],
        };
      });
    });
}

const portsIn = (text: string | undefined) => (text === undefined ? [] : [Number(text)]);

interface ComposeService {
  readonly image?: string;
  readonly command?: unknown;
  readonly environment?: readonly string[] | Readonly<Record<string, string | number | null>>;
  readonly ports?: readonly (string | { readonly target: number })[];
  readonly healthcheck?: { readonly test?: string | readonly string[] };
}

function inCompose(): Deployed[] {
  const files = globSync(['docker-compose.yml', 'deploy/swarm/*.{yml,yaml}'], { cwd: ROOT });
  return files.flatMap((file) => {
    const content = parse(readFileSync(join(ROOT, file), 'utf8'), { merge: true });
    const services = Object.entries<ComposeService>(content?.services ?? {});
    return services.flatMap(
      ([name, { image, command, environment = {}, ports = [], healthcheck }]) => {
        const service = serviceOf(image);
        // Another command makes another program of the image.
        if (service === undefined || command !== undefined) return [];
        const asked = askedBy([healthcheck?.test ?? []].flat().join(' '));
        return {
          where: `${file} ${name}`,
          service,
          settings: variablesOf(environment),
          ports: [
            ...ports.map((port) =>
              typeof port === 'string' ? Number(port.split(':').at(-1)) : port.target,
            ),
            ...asked.ports,
          ],
          paths: asked.paths,
        };
      },
    );
  });
}

function variablesOf(
  environment: NonNullable<ComposeService['environment']>,
): Record<string, string | undefined> {
  const pairs = Array.isArray(environment)
    ? environment.map(
        (line: string) =>
          /^([^=]+)(?:=(.*))?$/s.exec(line)?.slice(1) as [string, string | undefined],
      )
    : Object.entries(environment).map(
        ([name, value]) => [name, value === null ? undefined : String(value)] as const,
      );
  // What the shell fills in is no value of this file.
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, value?.includes('${') ? undefined : value]),
  );
}

/** Ports and paths of the URLs in a command. */
function askedBy(command: string): { ports: number[]; paths: string[] } {
  const urls = [...command.matchAll(/(?:127\.0\.0\.1|localhost|\[::1\]):(\d+)(\/[\w/]*)/g)];
  return {
    ports: urls.map(([, port]) => Number(port)),
    paths: urls.map(([, , path = '']) => path),
  };
}

const DOCKERFILES: Readonly<Record<string, ServiceName>> = {
  'Dockerfile.policy': 'policy',
  'Dockerfile.executor': 'executor',
  'examples/gateway/Dockerfile': 'gateway',
};

function inDockerfiles(): Deployed[] {
  const there = Object.entries(DOCKERFILES).filter(([file]) => existsSync(join(ROOT, file)));
  return there.map(([file, service]) => {
    // Settings are those of the last stage; a line that ends in a backslash goes on.
    const [final = ''] = readFileSync(join(ROOT, file), 'utf8')
      .replaceAll('\\\n', ' ')
      .split(/^FROM /m)
      .slice(-1);
    const instructions = (name: string) =>
      [...final.matchAll(new RegExp(`^${name} +(.*)$`, 'gm'))].map(([, text = '']) => text);
    const check = instructions('HEALTHCHECK').join(' ');
    const asked = askedBy(check);
    // The script of a health check takes the prefix of the settings that say where the
    // service listens.
    const [prefix] = /(?<=")[A-Z_]+(?=")/.exec(check.replace(/^.*CMD/, '')) ?? [];
    return {
      where: file,
      service,
      settings: {
        ...(prefix === undefined ? {} : { [`${prefix}_BIND_ADDR`]: undefined }),
        ...Object.fromEntries(instructions('ENV').flatMap(assignments)),
      },
      ports: [
        ...instructions('EXPOSE').flatMap((text) => text.split(/\s+/).map(Number)),
        ...asked.ports,
      ],
      paths: [...asked.paths, ...pathsOfScript(check)],
    };
  });
}

const assignments = (text: string) =>
  [...text.matchAll(/([A-Za-z_]\w*)=("[^"]*"|\S*)/g)].map(([, name = '', value = '']) => [
    name,
    value.replace(/^"|"$/g, ''),
  ]);

/** The paths that the script of a health check asks for. */
function pathsOfScript(check: string): string[] {
  const [script] = /[\w/-]+\.mjs/.exec(check) ?? [];
  const path = script && join(ROOT, 'deploy/image', script);
  if (!path || !existsSync(path)) return [];
  return [...readFileSync(path, 'utf8').matchAll(/path: '(\/[^']*)'/g)].map(
    ([, asked = '']) => asked,
  );
}
