import { parseYaml, readTextFile } from '@gatehouse/config-file';
import {
  type CredentialSource,
  DestinationSet,
  MAX_VIOLATIONS,
  pointerToken,
  type Violation,
} from '@gatehouse/contracts';
import { type Checked, compileValidator } from '@gatehouse/validation';
import { covers } from './cover.ts';
import {
  type Destination,
  type Destinations,
  toDestination,
  toDestinations,
} from './destinations.ts';
import { isReserved } from './header.ts';
import { HOST_FORMS, parseHost } from './host.ts';
import { examplePath, parsePath } from './path.ts';
import { isSecure } from './url.ts';

/** Maximum size of a destinations file. Parsing a larger file would block requests. */
const MAX_BYTES = 1024 * 1024;

export const readDestinationsText = (path: string): string => readTextFile(path, MAX_BYTES);

/** Parses a destinations file. `file` is the file name for error messages. @throws InvalidFile */
export function readDestinations(text: string, file: string): Destinations {
  return parseYaml(text, file, check);
}

const checkSchema = compileValidator(DestinationSet);

function check(value: unknown, lineOf: (pointer: string) => number): Checked<Destinations> {
  const checked = checkSchema(value);
  if (!checked.ok) return checked;
  const { destinations, credentials = {} } = checked.value;
  const violations = [
    ...destinations.flatMap((each, index) => destinationViolations(each, index, credentials)),
    ...Object.entries(credentials).flatMap(([name, each]) => credentialViolations(name, each)),
  ];
  if (violations.length > 0) return { ok: false, violations };
  const all = destinations.map((each, index) =>
    toDestination(each, index, lineOf(`/destinations/${index}`)),
  );
  const set = toDestinations(all, credentials);
  const covered = coveredViolations(set);
  return covered.length > 0 ? { ok: false, violations: covered } : { ok: true, value: set };
}

function destinationViolations(
  { host, paths = [], credential, ...tls }: Destination['source'],
  index: number,
  credentials: Readonly<Record<string, CredentialSource>>,
): Violation[] {
  const pointer = `/destinations/${index}`;
  const violations: Violation[] = [];
  const add = (member: string, message: string) =>
    violations.push({ pointer: pointer + member, message });
  if (parseHost(host) === undefined) add('/host', `must be ${HOST_FORMS}`);
  for (const [number, path] of paths.entries())
    try {
      parsePath(path);
    } catch (error) {
      add(`/paths/${number}`, (error as Error).message);
    }
  if (credential !== undefined && !Object.hasOwn(credentials, credential))
    add('/credential', 'must be the name of a credential in `credentials`');
  if ((tls.client_cert_file === undefined) !== (tls.client_key_file === undefined))
    add('', 'must have both client_cert_file and client_key_file, or neither');
  return violations;
}

function credentialViolations(name: string, credential: CredentialSource): Violation[] {
  const pointer = `/credentials/${pointerToken(name)}`;
  if (credential.type === 'header') {
    const message = 'must not be a header that the executor sets or refuses';
    return isReserved(credential.name) ? [{ pointer: `${pointer}/name`, message }] : [];
  }
  if (credential.type !== 'oauth2_client_credentials') return [];
  const url = URL.parse(credential.token_url);
  const isPlain = url !== null && url.username + url.password + url.hash === '';
  if (isPlain && isSecure(url)) return [];
  const message = 'must be an https URL, or http to loopback, without credentials or a fragment';
  return [{ pointer: `${pointer}/token_url`, message }];
}

function coveredViolations({ all, byHost }: Destinations): Violation[] {
  const violations: Violation[] = [];
  const uses = new Map<string, number>();
  for (const path of all.flatMap(({ source }) => source.paths ?? []))
    uses.set(path, (uses.get(path) ?? 0) + 1);
  const byUses = (one: string, other: string) => (uses.get(one) ?? 0) - (uses.get(other) ?? 0);
  for (const destination of all) {
    // Compare this destination only with those that allow its rarest path, because no others can
    // cover it. Comparing every pair of thousands of destinations would take seconds.
    const rarest = destination.source.paths?.toSorted(byUses)[0];
    const segments = rarest === undefined ? [] : examplePath(parsePath(rarest));
    const earlier = byHost
      .findPath(destination.host.host, segments)
      .find((each) => each.index < destination.index && covers(each, destination));
    if (earlier === undefined) continue;
    const message = `can never match, because the destination on line ${earlier.line} matches first; move this destination up or remove it`;
    violations.push({ pointer: `/destinations/${destination.index}`, message });
    if (violations.length === MAX_VIOLATIONS) break;
  }
  return violations;
}
