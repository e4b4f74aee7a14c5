import { ACTION_LIMITS, type Method } from '../executor/execution.ts';
import { failure, type Result, success } from '../result.ts';
import type { Violation } from '../violation.ts';

/** Port 0 and the "bad ports" of the Fetch standard, such as 25 for SMTP. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

/** A valid URL without its fragment, and the host and path as the caller wrote them. */
export interface Target {
  readonly url: URL;
  readonly writtenHost: string;
  readonly writtenPath: string;
}

/** Characters that URL parsers drop or read as a slash. */
export const DROPPED_CHARACTERS = /[\0-\x1f\x7f\\]|^ | $/;

const invalidUrl = (message: string) => failure({ pointer: '/url', message });

/**
 * Parses a URL strictly, or returns its first violation. Checks the length, characters, form,
 * scheme, credentials, host and port, in that order.
 */
export function readUrl(text: string): Result<Target, Violation> {
  const { urlBytes, hostChars } = ACTION_LIMITS;
  if (Buffer.byteLength(text) > urlBytes) return invalidUrl(`must be at most ${urlBytes} bytes`);

  if (DROPPED_CHARACTERS.test(text))
    return invalidUrl('must not contain control characters, backslashes, or spaces at either end');

  const [, authority, writtenPath = ''] = /^https?:\/\/([^/?#\\]+)([^?#]*)/i.exec(text) ?? [];
  if (authority === undefined)
    return invalidUrl('must be absolute, in the form `https://host/path` or `http://host/path`');

  if (authority.includes('@'))
    return invalidUrl('must not contain credentials; send them in a header');

  const url = URL.parse(text);
  if (url === null) return invalidUrl('must have a valid host and a port from 1 to 65535');

  if (url.hostname.length > hostChars)
    return invalidUrl(`must have a host of at most ${hostChars} characters`);

  if (BLOCKED_PORTS.has(portOf(url)))
    return invalidUrl(`must not use port ${portOf(url)}, which belongs to another protocol`);

  if (url.hash !== '') url.hash = '';
  return success({ url, writtenHost: authority.replace(/:\d*$/, ''), writtenPath });
}

/**
 * Returns a violation if a request that changes something has a URL with a fragment. The rest of a
 * query may have become a fragment by mistake, as in `?list=C#&limit=1`, and would not be sent.
 */
export function fragmentViolation(method: Method, writtenUrl: string): Violation | undefined {
  const changes =
    method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE';
  if (!changes || !writtenUrl.includes('#')) return undefined;
  const message = `must not have a fragment with ${method}, because the part after \`#\` is never sent; write \`%23\` for a \`#\` in the path or query, or leave the fragment out`;
  return { pointer: '/url', message };
}

export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** True if a credential may be sent to the URL: over https, or over http to loopback. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

export function isIpLiteral(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Turns `[::1]` into `::1` and leaves other hosts unchanged. */
export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
