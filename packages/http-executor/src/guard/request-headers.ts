import {
  ACTION_LIMITS,
  HEADER_NAME,
  HEADER_VALUE,
  MAX_VIOLATION_CHARS,
  pointerToken,
  type Violation,
} from '@gatehouse/contracts';
import { shorten } from '../text.ts';

const MAX_TOTAL_BYTES = 32 * 1024;

const REFUSED: readonly (readonly [reason: string, names: RegExp])[] = [
  [
    'describes the connection, which the executor controls',
    /^(?:connection|keep-alive|upgrade|http2-settings|te|trailer|expect)$/,
  ],
  [
    'frames the message, which is the job of the executor',
    /^(?:content-length|transfer-encoding|content-encoding)$/,
  ],
  ['may name a different host than the URL', /^host$/],
  ['is for proxies', /^(?:proxy|proxy-.*|via|max-forwards)$/],
  [
    'claims a different origin of the request',
    /^(?:forwarded|x-forwarded|x-forwarded-.*|x-real-ip|x-original-url|x-rewrite-url)$/,
  ],
  [
    'gives access to cloud metadata services',
    /^(?:metadata|metadata-flavor|x-aws-ec2-metadata-.*|x-google-metadata-request)$/,
  ],
  [
    'changes the method after the guard has checked it',
    /^x-(?:http-method|http-method-override|method-override)$/,
  ],
];

export type HeaderMap = Map<string, string>;

export interface ReadHeaders {
  readonly headers: HeaderMap;
  readonly violations: Violation[];
  /** True if the headers are too many or too long, so that none was read. */
  readonly beyondLimits: boolean;
}

/** Reads the headers of an action (docs/contract.md, "Request headers"). */
export function readHeaders(headers: Readonly<Record<string, string>>): ReadHeaders {
  const entries = Object.entries(headers);
  const beyond = limitViolation(entries);
  if (beyond !== undefined) return { headers: new Map(), violations: [beyond], beyondLimits: true };
  const read: HeaderMap = new Map();
  const violations: Violation[] = [];
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    const message = read.has(lower)
      ? 'appears twice, in different case'
      : headerViolation(lower, value);
    if (message !== undefined) violations.push({ pointer: pointerToHeader(name), message });
    read.set(lower, value.trim());
  }
  return { headers: read, violations, beyondLimits: false };
}

function limitViolation(entries: readonly [string, string][]): Violation | undefined {
  const { headers: most, headerValueBytes } = ACTION_LIMITS;
  if (entries.length > most)
    return { pointer: '/headers', message: `must be at most ${most} headers` };
  const long = entries.find(([, value]) => value.length > headerValueBytes);
  if (long !== undefined) {
    return {
      pointer: pointerToHeader(long[0]),
      message: `must have a value of at most ${headerValueBytes} bytes`,
    };
  }
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes <= MAX_TOTAL_BYTES) return undefined;
  return { pointer: '/headers', message: `must be at most ${MAX_TOTAL_BYTES} bytes in total` };
}

function pointerToHeader(name: string): string {
  const token = pointerToken(name.slice(0, MAX_VIOLATION_CHARS));
  return shorten(`/headers/${token}`, MAX_VIOLATION_CHARS);
}

function headerViolation(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name))
    return "must have a header name of letters, digits and !#$%&'*+-.^_`|~";
  // CGI and similar interfaces turn `-` into `_`, so servers cannot tell the two apart.
  const dashed = name.replaceAll('_', '-');
  const [reason] = REFUSED.find(([, names]) => names.test(dashed)) ?? [];
  if (reason !== undefined) return `may not be set: it ${reason}; leave it out`;
  return HEADER_VALUE.test(value)
    ? undefined
    : 'must have a value of visible ASCII, spaces and tabs';
}
