import { domainToUnicode } from 'node:url';
import { failure, type Method, type Result } from '@gatehouse/contracts';
import {
  entriesOnHost,
  isSecure,
  matchesMethod,
  matchesPath,
  pathOf,
  type Target,
} from '@gatehouse/contracts/action';
import { allowsCaller, allowsPort, type Destination, type Destinations } from './destinations.ts';

interface Asked extends Target {
  readonly method: Method;
  readonly caller: string | undefined;
  /** Name of the file or setting that lists the destinations, for use in messages. */
  readonly listedIn: string;
}

interface Refused {
  /** One sentence that says what to change. */
  readonly text: string;
  /** True if the only mistake is the URL's scheme or the spelling of the host. */
  readonly canBeRewritten: boolean;
}

type Choice = Result<Destination, Refused>;

const refused = (text: string, canBeRewritten = false): Choice => failure({ text, canBeRewritten });

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
    const text = `The URL's host is not in canonical form; write the host as \`${canonical}\`, which must be listed in ${listedIn}.`;
    return refused(text, true);
  }

  const choice = chooseFirst(entriesOnHost(destinations.byHost, url.hostname), asked);
  if (!choice.ok || choice.value.source.credential === undefined || isSecure(url)) return choice;

  const { text } = choice.value.host;
  return refused(
    `Use https: the destination \`${text}\` adds a credential, which may be sent over http only to loopback.`,
    true,
  );
}

/** Names the first of host, path, method and caller that no destination allows. */
function chooseFirst(onHost: readonly Destination[], asked: Asked): Choice {
  const { url, method, caller, listedIn } = asked;
  const hosts = onHost.filter((each) => allowsPort(each, url));
  if (hosts.length === 0) return refused(hostRefusal(onHost, asked));

  const path = pathOf(asked);
  const paths = hosts.filter((each) => matchesPath(each, path));
  if (paths.length === 0) {
    const text = path.isAmbiguous ? AMBIGUOUS : `${noneAllows(url)} the path \`${url.pathname}\``;
    return refused(`${text}${listAllowed(caller, hosts, 'paths')}.`);
  }

  const methods = paths.filter(({ source }) => matchesMethod(source.methods, method));
  if (methods.length === 0) {
    const text = `${noneAllows(url)} ${method} for the path \`${url.pathname}\``;
    return refused(`${text}${listAllowed(caller, paths, 'methods')}.`);
  }

  const value = methods.find((each) => allowsCaller(each, caller));
  if (value !== undefined) return { ok: true, value };

  const who = caller === undefined ? 'callers without a name' : `the caller \`${caller}\``;
  return refused(
    `${noneAllows(url)} ${who} to make this request; ask an operator to add the caller to ${listedIn}.`,
  );
}

const noneAllows = ({ host }: URL) => `No destination for \`${host}\` allows`;

const AMBIGUOUS =
  'The path can be read in more than one way, so it cannot match a destination that restricts `paths`; write the path without dot segments, empty segments, `;`, `%` or their percent-encoded forms';

function hostRefusal(onHost: readonly Destination[], { url, caller, listedIn }: Asked): string {
  const isOnDefaultPort = onHost.some(
    (each) => each.ports === 'default' && allowsCaller(each, caller),
  );
  const other = isOnDefaultPort
    ? `, where \`${url.hostname}\` covers the default port alone because it adds a credential`
    : '';
  return `The host \`${url.host}\` is not on the allowlist${other}; ask an operator to add it to ${listedIn}.`;
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
