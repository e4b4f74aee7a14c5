import { domainToUnicode } from 'node:url';
import {
  type Asked,
  type Destination,
  type Destinations,
  type Match,
  MOST_LISTED,
} from './destinations.ts';
import { isSecure } from './file.ts';

type Refused = Extract<Match, { kind: 'refused' }>;

interface WrittenRequest extends Asked {
  /** Host as written in the URL, because URL parsing rewrites unusual spellings of an address. */
  readonly writtenHost: string;
  /** File or setting that lists the destinations, for messages to an operator. */
  readonly listedIn: string;
}

export type Choice =
  | { readonly kind: 'match'; readonly destination: Destination }
  | {
      readonly kind: 'refused';
      readonly by: 'spelling' | Refused['by'] | 'scheme';
      /** One sentence that says what to change. */
      readonly reason: string;
    };

/**
 * Chooses the destination of a request. Refuses, in this order:
 * 1. a host that is not in its canonical form: decimal, octal, percent-encoded and full-width forms
 *    of an allowed host are refused, because a planner has no legitimate use for them;
 * 2. a host, path, method or caller that no destination allows;
 * 3. http, if the destination adds a credential.
 */
export function chooseDestination(destinations: Destinations, asked: WrittenRequest): Choice {
  const { url, writtenHost, listedIn } = asked;
  const canonical = url.hostname.replace(/\.$/, '');
  const written = writtenHost.normalize('NFC').toLowerCase();
  if (written !== canonical && written !== domainToUnicode(canonical)) {
    const reason = `The host is not in its canonical form; write it as \`${canonical}\`, which must be listed in ${listedIn}.`;
    return { kind: 'refused', by: 'spelling', reason };
  }
  const match = destinations.find(asked);
  if (match.kind === 'refused')
    return { kind: 'refused', by: match.by, reason: whyRefused(match, asked) };
  const { host, source } = match.destination;
  if (source.credential === undefined || isSecure(url)) return match;
  const reason = `Use https: the destination \`${host.text}\` adds a credential, which is never sent over http.`;
  return { kind: 'refused', by: 'scheme', reason };
}

function whyRefused(
  { by, allowed, ambiguous }: Refused,
  { url, method, caller, listedIn }: WrittenRequest,
): string {
  const host = `\`${url.host}\``;
  const path = `\`${url.pathname}\``;
  switch (by) {
    case 'host':
      return `No destination allows the host ${host}; ask an operator to add it to ${listedIn}.`;
    case 'path':
      return ambiguous
        ? `The path can be read in more than one way, so it matches no destination with \`paths\`; write it without dot segments, empty segments, \`;\`, \`%\` and their percent-encoded forms${listed(allowed)}.`
        : `No destination for ${host} allows the path ${path}${listed(allowed)}.`;
    case 'method':
      return `No destination for ${host} allows ${method} for the path ${path}${listed(allowed)}.`;
    case 'caller': {
      const who = caller === undefined ? 'callers without a name' : `the caller \`${caller}\``;
      return `No destination for ${host} allows ${who} to make this request; ask an operator to add the caller to ${listedIn}.`;
    }
  }
}

function listed(allowed: readonly string[]): string {
  if (allowed.length === 0) return '; nothing else is allowed there either';
  const shown = allowed.slice(0, MOST_LISTED).map((each) => `\`${each}\``);
  const more = allowed.length > MOST_LISTED ? ' and more' : '';
  return `; allowed: ${shown.join(', ')}${more}`;
}
