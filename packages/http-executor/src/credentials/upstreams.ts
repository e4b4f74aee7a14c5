import { isDeepStrictEqual } from 'node:util';
import type { CredentialSource } from '@gatehouse/contracts';
import { entriesOnHost } from '@gatehouse/contracts/action';
import type { Destination, Destinations } from '../destinations/destinations.ts';
import type { LoadedDestinations } from '../destinations/load.ts';
import type { TlsFiles } from '../destinations/tls-files.ts';
import type { Credential } from './credential.ts';
import { FileCredential } from './file-credential.ts';
import { OAuthCredential } from './oauth-credential.ts';
import { secretPathOf } from './secret-file.ts';
import type { TokenDeps } from './token-request.ts';

/** Destinations with their credentials and TLS files. A reload replaces the whole object. */
export interface Upstreams {
  readonly destinations: Destinations;
  /** True if the destinations come from a destinations file, false if they are a list of hosts. */
  readonly fromFile: boolean;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly tls: ReadonlyMap<Destination, TlsFiles>;
}

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
    credentials.set(name, kept ?? openCredential(name, source, secretPath, deps));
  }
  return { destinations, fromFile: true, credentials, tls };
}

function openCredential(
  name: string,
  source: CredentialSource,
  secretPath: string,
  deps: TokenDeps,
): Credential {
  return source.type === 'oauth2_client_credentials'
    ? new OAuthCredential(name, source, secretPath, deps)
    : new FileCredential(name, source, secretPath);
}

/** Lists the credentials of all destinations on a host, whatever their ports. */
export function credentialsOnHost(upstreams: Upstreams, hostname: string): readonly Credential[] {
  const { destinations, credentials } = upstreams;
  const onHost = entriesOnHost(destinations.byHost, hostname);
  const names = new Set(onHost.flatMap(({ source }) => source.credential ?? []));
  return [...names].flatMap((name) => credentials.get(name) ?? []);
}
