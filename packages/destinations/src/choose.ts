import { domainToUnicode } from 'node:url';
import type { Method } from '@gatehouse/contracts';
import type { Destination, Destinations } from './destinations.ts';
import type { HostPattern } from './host.ts';
import { isAmbiguousPath, normalizePath } from './path.ts';
import { isSecure, portOf, type Target } from './url.ts';

interface Asked extends Target {
  readonly method: Method;
  readonly caller: string | undefined;
  /** Name of the file or setting that lists the destinations, for use in messages. */
  readonly listedIn: string;
}

interface Refused {
  /** One sentence that says what to change. */
  readonly reason: string;
  /** True if the only mistake is the URL's scheme or the spelling of the host. */
  readonly canBeRewritten: boolean;
}

type Choice = { readonly destination: Destination } | Refused;

const refused = (reason: string): Refused => ({ reason, canBeRewritten: false });

/**
 * Chooses the first destination that allows a request, in three steps:
 * 1. Refuses a host that is not in canonical form, such as `0x7f.1` instead of `127.0.0.1`.
 *    Planners have no legitimate use for other forms.
 * 2. Refuses a host, path, method or caller that no destination allows.
 * 3. Refuses a request over http (except to loopback) if the destination adds a credential.
 */
export function chooseDestination(destinations: Destinations, asked: Asked): Choice {
  const { url, writtenHost, listedIn } = asked;
  const canonical = url.hostname.replace(/\.$/, '');
  const written = writtenHost.normalize('NFC').toLowerCase();
  if (written !== canonical && written !== domainToUnicode(canonical)) {
    const reason = `The URL's host is not in canonical form; write the host as \`${canonical}\`, which must be listed in ${listedIn}.`;
    return { reason, canBeRewritten: true };
  }
  const choice = chooseFirst(destinations, asked);
  if ('reason' in choice) return choice;
  const { host, source } = choice.destination;
  if (source.credential === undefined || isSecure(url)) return choice;
  const reason = `Use https: the destination \`${host.text}\` adds a credential, which may be sent over http only to loopback.`;
  return { reason, canBeRewritten: true };
}

function chooseFirst({ byHost }: Destinations, asked: Asked): Choice {
  const { url, method, caller, listedIn } = asked;
  const host = `\`${url.host}\``;
  const isAmbiguous = isAmbiguousPath(asked.writtenPath) || isAmbiguousPath(url.pathname);
  // Servers may disagree about a path such as `/a%2Fb`, so it matches only destinations that do not
  // restrict `paths`.
  const segments = isAmbiguous ? [] : normalizePath(url.pathname).split('/');
  const matchesHost = (each: Destination) => hostMatches(each.host, url);
  const paths = byHost.findPath(url.hostname, segments).filter(matchesHost);
  if (paths.length === 0) {
    const hosts = byHost.find(url.hostname).filter(matchesHost);
    if (hosts.length === 0) {
      const reason = `The host ${host} is not on the allowlist; ask an operator to add it to ${listedIn}.`;
      return refused(reason);
    }
    const reason = isAmbiguous
      ? 'The path can be read in more than one way, so it cannot match a destination that restricts `paths`; write the path without dot segments, empty segments, `;`, `%` or their percent-encoded forms'
      : `No destination for ${host} allows the path \`${url.pathname}\``;
    return refused(`${reason}${listAllowed(caller, hosts, 'paths')}.`);
  }
  const methods = paths.filter(({ source }) => source.methods?.includes(method) ?? true);
  if (methods.length === 0) {
    const reason = `No destination for ${host} allows ${method} for the path \`${url.pathname}\``;
    return refused(`${reason}${listAllowed(caller, paths, 'methods')}.`);
  }
  const destination = methods.find((each) => allowsCaller(each, caller));
  if (destination !== undefined) return { destination };
  const who = caller === undefined ? 'callers without a name' : `the caller \`${caller}\``;
  const reason = `No destination for ${host} allows ${who} to make this request; ask an operator to add the caller to ${listedIn}.`;
  return refused(reason);
}

/** Maximum number of paths in one message, because a destinations file can have thousands. */
const MOST_LISTED = 20;

/** Returns the end of a refusal message: a list of paths or methods that the caller may use. */
function listAllowed(
  caller: string | undefined,
  destinations: readonly Destination[],
  member: 'paths' | 'methods',
): string {
  const usable = destinations.filter((each) => allowsCaller(each, caller));
  const allowed = [...new Set(usable.flatMap(({ source }) => source[member] ?? []))];
  if (allowed.length === 0) return `; no ${member} are allowed for this caller`;
  const shown = allowed.slice(0, MOST_LISTED).map((each) => `\`${each}\``);
  const more = allowed.length > MOST_LISTED ? ' and more' : '';
  return `; allowed: ${shown.join(', ')}${more}`;
}

export function allowsCaller({ source: { callers } }: Destination, caller: string | undefined) {
  return callers === undefined || (caller !== undefined && callers.includes(caller));
}

/** Returns the canonical form of the first host pattern that matches a URL. */
export function findHost({ byHost }: Destinations, url: URL): string | undefined {
  return byHost.find(url.hostname).find(({ host }) => hostMatches(host, url))?.host.text;
}

function hostMatches({ host, subdomains, port }: HostPattern, url: URL): boolean {
  if (port !== undefined && port !== portOf(url)) return false;
  const { hostname } = url;
  return subdomains ? hostname.length > host.length && hostname.endsWith(host) : hostname === host;
}
