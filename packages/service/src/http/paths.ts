import { POLICY_PATHS, SERVICE_PATHS } from '@gatehouse/contracts';

const { health, ready, docs, metrics, openapi, problems } = SERVICE_PATHS;

/** Returns a request target without its query, which may hold secrets. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

const PROBES: ReadonlySet<string> = new Set([health, ready, metrics]);

/** True if monitoring systems request this path every few seconds. */
export function isProbe(url: string): boolean {
  return PROBES.has(pathOf(url));
}

/** Paths that are open without a token, because container checks and browsers have no token. */
const OPEN_PATHS: ReadonlySet<string> = new Set([
  ...[health, ready, docs, openapi, problems],
  // Everyone may know public keys.
  POLICY_PATHS.keys,
]);
const OPEN_FOLDERS = [`${docs}/`, `${problems}/`];

export function isOpen(path: string): boolean {
  return OPEN_PATHS.has(path) || OPEN_FOLDERS.some((folder) => path.startsWith(folder));
}
