import { isDeepStrictEqual } from 'node:util';
import { type Credential, openCredential } from './credentials/credential.ts';
import { secretPathOf } from './credentials/secret-file.ts';
import type { TokenDeps } from './credentials/token-endpoint.ts';
import type { LoadedDestinations } from './loaded-destinations.ts';
import type { Upstreams } from './sandbox/sandbox.ts';

/** Opens a file's credentials. After a reload, unchanged credentials keep their OAuth tokens. */
export function openUpstreams(
  { path, destinations, tls }: LoadedDestinations,
  before: Upstreams,
  deps: TokenDeps,
): Upstreams {
  const credentials = new Map<string, Credential>();
  for (const [name, source] of Object.entries(destinations.credentials)) {
    const secretPath = secretPathOf(source, path);
    const isSame = isDeepStrictEqual(before.destinations.credentials[name], source);
    const kept = isSame ? before.credentials.get(name) : undefined;
    credentials.set(name, kept ?? openCredential(name, source, { secretPath, ...deps }));
  }
  return { destinations, fromFile: true, credentials, tls };
}
