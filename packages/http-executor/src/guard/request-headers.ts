import {
  ACTION_LIMITS,
  HEADER_NAME,
  HEADER_VALUE,
  MAX_VIOLATION_CHARS,
  pointerToken,
  type Violation,
} from '@gatehouse/contracts';
import { shorten } from '../errors.ts';

const MAX_TOTAL_BYTES = 32 * 1024;

/** Headers that a caller may not set, and why. */
const REFUSED: readonly (readonly [reason: string, names: RegExp])[] = [
  [
    "describes the connection, which is the executor's",
    /^(?:connection|keep-alive|upgrade|http2-settings|te|trailer|expect)$/,
  ],
  [
    'frames the message, which the executor does',
    /^(?:content-length|transfer-encoding|content-encoding)$/,
  ],
  ['names another host than the URL', /^host$/],
  ['is for proxies', /^(?:proxy|proxy-.*|via|max-forwards)$/],
  [
    'claims another origin of the request',
    /^(?:forwarded|x-forwarded|x-forwarded-.*|x-real-ip|x-original-url|x-rewrite-url)$/,
  ],
  [
    'opens cloud metadata services',
    /^(?:metadata|metadata-flavor|x-aws-ec2-metadata-.*|x-google-metadata-request)$/,
  ],
  [
    'changes the method behind the guard',
    /^x-(?:http-method|http-method-override|method-override)$/,
  ],
];

/** Lower-case names with their values, in the order given. */
export type HeaderMap = Map<string, string>;

export interface ReadHeaders {
  readonly headers: HeaderMap;
  readonly violations: Violation[];
  /** They are too many or too long, and none was read. */
  readonly beyondLimits: boolean;
}

/** The caller's headers and every violation (contract section 3, "Request headers"). */
export function readHeaders(headers: Readonly<Record<string, string>>): ReadHeaders {
  const entries = Object.entries(headers);
  const beyond = limitFault(entries);
  if (beyond !== undefined) return { headers: new Map(), violations: [beyond], beyondLimits: true };
  const read: HeaderMap = new Map();
  const violations: Violation[] = [];
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    const message = read.has(lower)
      ? 'is given twice, in different case'
      : headerFault(lower, value);
    if (message !== undefined) violations.push({ pointer: pointerToHeader(name), message });
    read.set(lower, value.trim());
  }
  return { headers: read, violations, beyondLimits: false };
}

function limitFault(entries: readonly [string, string][]): Violation | undefined {
  const { headers: most, headerValueBytes } = ACTION_LIMITS;
  if (entries.length > most) return { pointer: '/headers', message: `must be at most ${most}` };
  const long = entries.find(([, value]) => value.length > headerValueBytes);
  if (long !== undefined) {
    return {
      pointer: pointerToHeader(long[0]),
      message: `must have a value of at most ${headerValueBytes} bytes`,
    };
  }
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes <= MAX_TOTAL_BYTES) return undefined;
  return { pointer: '/headers', message: `must be at most ${MAX_TOTAL_BYTES} bytes in all` };
}

function pointerToHeader(name: string): string {
  const token = pointerToken(name.slice(0, MAX_VIOLATION_CHARS));
  return shorten(`/headers/${token}`, MAX_VIOLATION_CHARS);
}

function headerFault(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name))
    return "must have a header name of letters, digits and !#$%&'*+-.^_`|~";
  // CGI and the like read `_` as `-`.
  const dashed = name.replaceAll('_', '-');
  const [reason] = REFUSED.find(([, names]) => names.test(dashed)) ?? [];
  if (reason !== undefined) return `may not be set: it ${reason}; leave it out`;
  return HEADER_VALUE.test(value)
    ? undefined
    : 'must have a value of visible ASCII, spaces and tabs';
}
