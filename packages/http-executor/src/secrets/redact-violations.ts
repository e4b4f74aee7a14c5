import { MAX_VIOLATION_CHARS, type Violation } from '@gatehouse/contracts';
import { shorten } from '@gatehouse/contracts/action';
import { REDACTED, scrubBytes } from './scrub.ts';
import type { Secrets } from './secrets.ts';

/** Replaces the caller's secrets in a message, such as that of a refusal. */
export async function redactText(text: string, secrets: Secrets): Promise<string> {
  const scrubbed = await scrubBytes(Buffer.from(text), secrets);
  return scrubbed.ok ? scrubbed.value.bytes.toString() : REDACTED;
}

/** Replaces the caller's secrets in violations, such as those of a refusal, and shortens them. */
export function redactViolations(
  violations: readonly Violation[],
  secrets: Secrets,
): Promise<Violation[]> {
  const redacted = violations.map(async ({ pointer, message }) =>
    shortenViolation({
      pointer: await redactText(pointer, secrets),
      message: await redactText(message, secrets),
    }),
  );
  return Promise.all(redacted);
}

export const shortenViolation = ({ pointer, message }: Violation): Violation => ({
  pointer: shortenViolationText(pointer),
  message: shortenViolationText(message),
});

/** Shortens a text, and even more if many of its characters need escapes in JSON. */
function shortenViolationText(text: string): string {
  const short = shorten(text, MAX_VIOLATION_CHARS);
  const isLong = JSON.stringify(short).length > 2 * MAX_VIOLATION_CHARS;
  return isLong ? shorten(short, MAX_VIOLATION_CHARS / 6) : short;
}
