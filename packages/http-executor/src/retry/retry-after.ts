import type { ReceivedResponse } from '../attempt/result.ts';

/** Returns `Retry-After` in milliseconds, or undefined if the header is absent or malformed. */
export function retryAfterMs({ headers }: ReceivedResponse, now: Date): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER);
  const date = new Date(value);
  // `Date` parses many formats, but an HTTP date always has the format of `toUTCString`.
  return date.toUTCString() === value ? Math.max(0, date.getTime() - now.getTime()) : undefined;
}
