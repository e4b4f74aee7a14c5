import { ACTION_LIMITS, HEADER_NAME, HEADER_VALUE } from '../executor/execution.ts';
import { MAX_VIOLATION_CHARS, pointerToken, type Violation } from '../violation.ts';
import { reasonToRefuse } from './refused-headers.ts';
import { shorten } from './text.ts';

const MAX_TOTAL_BYTES = 32 * 1024;

export interface ReadHeaders {
  readonly headers: Map<string, string>;
  readonly violations: Violation[];
}

/** Reads the headers of an action (docs/executor-security.md, "Request headers"). */
export function readHeaders(headers: Readonly<Record<string, string>>): ReadHeaders {
  const entries = Object.entries(headers);
  const beyond = limitViolation(entries);
  if (beyond !== undefined) return { headers: new Map(), violations: [beyond] };

  const read = new Map<string, string>();
  const violations: Violation[] = [];
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    const message = read.has(lower)
      ? 'appears twice with different capitalization; send it once'
      : headerViolation(lower, value);
    if (message !== undefined) violations.push({ pointer: pointerToHeader(name), message });
    read.set(lower, value.trim());
  }
  return { headers: read, violations };
}

/** Reads the headers of an action, even if the action does not match its schema. */
export function readActionHeaders(action: unknown): ReadHeaders {
  const { headers } = (action ?? {}) as { headers?: unknown };
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  const texts = Object.entries(isObject ? headers : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return readHeaders(Object.fromEntries(texts));
}

function limitViolation(entries: readonly [string, string][]): Violation | undefined {
  const { headers: most, headerValueBytes } = ACTION_LIMITS;
  if (entries.length > most)
    return { pointer: '/headers', message: `must have at most ${most} headers` };
  const long = entries.find(([, value]) => value.length > headerValueBytes);
  const message = `must have a value of at most ${headerValueBytes} bytes`;
  if (long !== undefined) return { pointer: pointerToHeader(long[0]), message };
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes <= MAX_TOTAL_BYTES) return undefined;
  return { pointer: '/headers', message: `must have at most ${MAX_TOTAL_BYTES} bytes in total` };
}

export function pointerToHeader(name: string): string {
  const token = pointerToken(name.slice(0, MAX_VIOLATION_CHARS));
  return shorten(`/headers/${token}`, MAX_VIOLATION_CHARS);
}

/** Matches schemes that authenticate a connection instead of a request. */
const CONNECTION_SCHEME = /^\s*(?:negotiate|ntlm)(?:\s|$)/i;

function headerViolation(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name))
    return "must have a name that contains only letters, digits and !#$%&'*+-.^_`|~";
  if (name === 'authorization' && CONNECTION_SCHEME.test(value))
    return 'must not use the scheme Negotiate or NTLM, which authenticates a connection that others may reuse';
  const reason = reasonToRefuse(name);
  if (reason !== undefined) return `must not be set, because ${reason}; leave it out`;
  return HEADER_VALUE.test(value)
    ? undefined
    : 'must have a value that contains only visible ASCII, spaces and tabs';
}
