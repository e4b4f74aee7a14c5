import { isIpLiteral, withoutBrackets } from './url.ts';

/** A host pattern from the allowlist or from a destination. */
export interface HostPattern {
  /** Canonical form, such as `*.example.com`, `[::1]:80` or `::1`. */
  readonly text: string;
  /** Host name in the form that `URL` returns, or `*.` and the domain. */
  readonly name: string;
  readonly port: number | undefined;
}

export const HOST_FORMS =
  'host, host:port, *.domain, an IPv4 address, an IPv6 address, or [IPv6]:port';

const HOST_AND_PORT =
  /^(\[[\da-f:.]+\]|[\da-f.]*:[\da-f.]*:[\da-f:.]*|[^\s:/?#@[\]*%\\]+)(?::(\d{1,5}))?$/i;

/** Labels separated by dots. */
const HOST_NAME = /^[\w-]+(?:\.[\w-]+)*$/;

/** Parses a host in one of the `HOST_FORMS`, or returns undefined for a malformed host. */
export function parseHost(text: string): HostPattern | undefined {
  const subdomains = text.startsWith('*.');
  const [, written, digits] = HOST_AND_PORT.exec(subdomains ? text.slice(2) : text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (written === undefined || port === 0 || (port ?? 0) > 65535) return undefined;

  const isBareIpv6 = written.includes(':') && !written.startsWith('[');
  // The URL parser normalizes hosts to lower case, Punycode, and dotted decimal for IPv4.
  const host = URL.parse(`http://${isBareIpv6 ? `[${written}]` : written}/`)?.hostname;
  if (host === undefined || !isPlausible(host, written, subdomains)) return undefined;

  const name = subdomains ? `*.${host}` : host;
  const shown = port === undefined ? withoutBrackets(name) : `${name}:${port}`;
  return { text: shown, name, port };
}

/** False for mistakes, such as `a..b`, `*.10.0.0.5`, and `10.5`, which would mean 10.0.0.5. */
function isPlausible(host: string, written: string, subdomains: boolean): boolean {
  if (!isIpLiteral(host)) return HOST_NAME.test(host);
  return !subdomains && (host.startsWith('[') || host === written);
}
