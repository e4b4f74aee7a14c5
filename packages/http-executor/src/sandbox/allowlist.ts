import { isIpLiteral, portOf, withBrackets, withoutBrackets } from './host.ts';
import { throwIfMalformed } from './networks.ts';

interface Entry {
  readonly text: string;
  /** Hostname as in a WHATWG URL; for `*.domain`, the part from the dot on. */
  readonly host: string;
  readonly subdomains: boolean;
  readonly port: number | undefined;
}

/** The hosts that may be reached (docs/contract.md, "Allowlist"); none if it is empty. */
export interface Allowlist {
  /** Entries in canonical form; an IPv6 address without a port is without brackets. */
  readonly entries: readonly string[];
  entryFor(url: URL): string | undefined;
}

const FORMS = 'host, host:port, *.domain, an IPv4 address, an IPv6 address, or [IPv6]:port';

/**
 * @throws {Error} that lists the malformed entries.
 */
export function parseAllowlist(texts: readonly string[]): Allowlist {
  throwIfMalformed(texts, (text) => parseEntry(text) !== undefined, `each entry must be ${FORMS}`);
  const entries = texts.map(parseEntry).filter((entry) => entry !== undefined);
  return {
    entries: entries.map(({ text }) => text),
    entryFor: (url) => entries.find((entry) => entryAdmits(entry, url))?.text,
  };
}

function entryAdmits({ host, subdomains, port }: Entry, url: URL): boolean {
  if (port !== undefined && port !== portOf(url)) return false;
  return subdomains
    ? url.hostname.length > host.length && url.hostname.endsWith(host)
    : url.hostname === host;
}

const HOST_AND_PORT =
  /^(\[[\da-f:.]+\]|[\da-f.]*:[\da-f.]*:[\da-f:.]*|[^\s:/?#@[\]*%\\]+)(?::(\d{1,5}))?$/i;

function parseEntry(text: string): Entry | undefined {
  const subdomains = text.startsWith('*.');
  const [, written, digits] = HOST_AND_PORT.exec(subdomains ? text.slice(2) : text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (written === undefined || port === 0 || (port ?? 0) > 65535) return undefined;
  const host = canonicalHost(withBrackets(written));
  if (host === undefined || (subdomains && isIpLiteral(host))) return undefined;
  const name = subdomains ? `*.${host}` : host;
  const shown = port === undefined ? withoutBrackets(name) : `${name}:${port}`;
  return { text: shown, host: subdomains ? `.${host}` : host, subdomains, port };
}

/** Normalizes a host as WHATWG URLs do: lower case, IDN in Punycode, four decimal IPv4 parts. */
function canonicalHost(host: string): string | undefined {
  return URL.parse(`http://${host}/`)?.hostname;
}
