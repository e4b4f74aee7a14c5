/** One entry of the allowlist, in canonical form. */
interface Entry {
  readonly text: string;
  /** As WHATWG URLs spell it; for `*.domain` the part from the dot on. */
  readonly host: string;
  readonly subdomains: boolean;
  readonly port: number | undefined;
}

/** The hosts that may be reached (contract section 3, "Allowlist"). Empty: none. */
export interface Allowlist {
  /** The entries in canonical form; an IPv6 address without port has no brackets. */
  readonly entries: readonly string[];
  admits(url: URL): boolean;
  /** The first entry that admits a URL. */
  entryFor(url: URL): string | undefined;
}

const FORMS = 'host, host:port, *.domain, an IPv4 address, an IPv6 address, or [IPv6]:port';

/**
 * Reads `host`, `host:port`, `*.domain` and IP literals; throws an error that names each
 * malformed entry.
 */
export function parseAllowlist(texts: readonly string[]): Allowlist {
  const malformed = texts.filter((text) => parseEntry(text) === undefined);
  if (malformed.length > 0) {
    throw new Error(
      `${malformed.map((text) => `\`${text}\``).join(', ')} is malformed; each entry must be ${FORMS}`,
    );
  }
  const entries = texts.map(parseEntry).filter((entry) => entry !== undefined);
  return {
    entries: entries.map(({ text }) => text),
    admits: (url) => entries.some((entry) => matches(entry, url)),
    entryFor: (url) => entries.find((entry) => matches(entry, url))?.text,
  };
}

function matches({ host, subdomains, port }: Entry, url: URL): boolean {
  if (port !== undefined && port !== portOf(url)) return false;
  return subdomains
    ? url.hostname.length > host.length && url.hostname.endsWith(host)
    : url.hostname === host;
}

/** The port that a URL leads to, whether written or implied by its scheme. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function parseEntry(text: string): Entry | undefined {
  const subdomains = text.startsWith('*.');
  const [, bracketed, bare, plain, digits] =
    /^(?:(\[[\da-f:.]+\])|([\da-f.]*:[\da-f.]*:[\da-f:.]*)|([^\s:/?#@[\]*%\\]+))(?::(\d{1,5}))?$/i.exec(
      subdomains ? text.slice(2) : text,
    ) ?? [];
  const written = bracketed ?? (bare === undefined ? plain : `[${bare}]`);
  const port = digits === undefined ? undefined : Number(digits);
  if (written === undefined || port === 0 || (port ?? 0) > 65535) return undefined;
  const host = canonicalHost(written);
  if (host === undefined || (subdomains && isIpLiteral(host))) return undefined;
  const name = subdomains ? `*.${host}` : host;
  const shown = port === undefined ? name.replace(/^\[|\]$/g, '') : `${name}:${port}`;
  return { text: shown, host: subdomains ? `.${host}` : host, subdomains, port };
}

/**
 * The host as a WHATWG URL spells it: lower case, IDN in Punycode, odd IPv4 forms
 * resolved.
 */
function canonicalHost(host: string): string | undefined {
  return URL.parse(`http://${host}/`)?.hostname;
}

/** Whether a canonical host is an IP address rather than a name. */
export function isIpLiteral(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}
