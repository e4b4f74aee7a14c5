import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A service that `pnpm start` runs. */
export interface Service {
  readonly name: string;
  /** The path of its main file. */
  readonly main: string;
  /** Where it listens, as its setting says: `0.0.0.0:8081`. */
  readonly bind: string;
  /**
   * How to reach it from this machine; undefined when `bind` is malformed, which the
   * service itself reports.
   */
  readonly url: URL | undefined;
}

const KNOWN = [
  { name: 'policy', prefix: 'POLICY', usual: '0.0.0.0:8081' },
  { name: 'executor', prefix: 'HTTP_EXECUTOR', usual: '0.0.0.0:8092' },
] as const;

/**
 * Both services with their settings. Throws when a port is 0, since nobody could tell
 * where to reach it.
 */
export function servicesOf(env: NodeJS.ProcessEnv): Service[] {
  return KNOWN.map(({ name, prefix, usual }) => {
    const setting = `${prefix}_BIND_ADDR`;
    const bind = env[setting] ?? usual;
    const url = reachableUrl(bind, env[`${prefix}_TLS_CERT_FILE`] === undefined ? 'http' : 'https');
    if (url?.port === '0')
      throw new Error(`${setting}=${bind}: give it a fixed port, so that it can be reached.`);
    return { name, main: mainOf(name), bind, url };
  });
}

/**
 * The main file of one of the services: what `pnpm build` made of it, unless a source has
 * changed since.
 */
export function mainOf(service: 'policy' | 'executor'): string {
  const built = join(ROOT, 'services', service, 'dist/main.mjs');
  const source = join(ROOT, 'services', service, 'src/main.ts');
  if (!existsSync(built)) return source;
  const sources = globSync('{packages,services}/*/{package.json,src/**/*.ts}', { cwd: ROOT });
  const changed = Math.max(...sources.map((path) => statSync(join(ROOT, path)).mtimeMs));
  return statSync(built).mtimeMs > changed ? built : source;
}

/** `0.0.0.0:8081` → `http://127.0.0.1:8081/`: a wildcard is reached over loopback. */
export function reachableUrl(bind: string, scheme: 'http' | 'https' = 'http'): URL | undefined {
  const [, host, port] = /^(.+):(\d+)$/.exec(bind) ?? [];
  if (host === undefined) return undefined;
  const loopback = host === '0.0.0.0' ? '127.0.0.1' : host === '[::]' ? '[::1]' : host;
  return URL.parse(`${scheme}://${loopback}:${port}`) ?? undefined;
}
