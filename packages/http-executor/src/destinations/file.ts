import { parseYaml } from '@gatehouse/config-file';
import {
  type CredentialSource,
  DestinationSet,
  pointerToken,
  type Violation,
} from '@gatehouse/contracts';
import { isReserved, isSecure, readPattern } from '@gatehouse/contracts/action';
import { type Checked, compileValidator } from '@gatehouse/contracts/validation';
import {
  type Destination,
  type Destinations,
  toDestination,
  toDestinations,
} from './destinations.ts';

/** Maximum size of a destinations file. Parsing a larger file would block requests. */
export const MAX_BYTES = 1024 * 1024;

/** Parses a destinations file. `file` is the file name for error messages. @throws InvalidFile */
export function readDestinations(text: string, file: string): Destinations {
  return parseYaml(text, file, checkDestinations);
}

const checkSchema = compileValidator(DestinationSet);

function checkDestinations(
  value: unknown,
  lineOf: (pointer: string) => number,
): Checked<Destinations> {
  const checked = checkSchema(value);
  if (!checked.ok) return checked;

  const { destinations, credentials = {} } = checked.value;
  const violations: Violation[] = [];
  const all = destinations.flatMap((source, index) => {
    const pointer = `/destinations/${index}`;
    const add = (member: string, message: string) =>
      violations.push({ pointer: pointer + member, message });
    if (source.credential !== undefined && !Object.hasOwn(credentials, source.credential))
      add('/credential', 'must be the name of a credential in `credentials`');
    if ((source.client_cert_file === undefined) !== (source.client_key_file === undefined))
      add('', 'must have both client_cert_file and client_key_file, or neither');
    const pattern = readPattern(source, add);
    return pattern ? toDestination(source, pattern, { index, line: lineOf(pointer) }) : [];
  });
  for (const [name, source] of Object.entries(credentials))
    violations.push(...credentialViolations(name, source));
  if (violations.length === 0) violations.push(...hiddenViolations(all));
  if (violations.length > 0) return { ok: false, violations };

  const lines = Object.keys(credentials).map(
    (name) => [name, lineOf(`/credentials/${pointerToken(name)}`)] as const,
  );
  return { ok: true, value: toDestinations(all, credentials, new Map(lines)) };
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

/**
 * Finds destinations that can never match, because an earlier one on the same host allows every
 * request, or has the same ports, methods, paths and callers.
 */
function hiddenViolations(all: readonly Destination[]): Violation[] {
  const known = new Map<string, Destination>();
  return all.flatMap((each) => {
    const { host, ports, source } = each;
    const { methods, paths, callers } = source;
    const everything = JSON.stringify([host.name, ports]);
    const same = JSON.stringify([host.name, ports, methods, paths, callers]);
    const anyPort = JSON.stringify([host.name, 'any']);
    const earlier = known.get(anyPort) ?? known.get(everything) ?? known.get(same);
    known.set(methods || paths || callers ? same : everything, earlier ?? each);
    if (earlier === undefined) return [];
    const message = `can never match, because the destination on line ${earlier.line} matches first; move this destination up or remove it`;
    return [{ pointer: `/destinations/${each.index}`, message }];
  });
}
