import type { ResponseHeaders } from '@gatehouse/contracts';

/** The three formats of an HTTP date (RFC 9110, section 5.6.7), oldest last. */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;

/** Returns `Retry-After` in milliseconds, or undefined if the header is absent or malformed. */
export function retryAfterMs(headers: ResponseHeaders, now: Date): number | undefined {
  const value = headers['retry-after']?.toString().trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER);
  if (!HTTP_DATE.test(value)) return undefined;
  // `Date.parse` reads all three formats, but would read the last one as local time.
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
