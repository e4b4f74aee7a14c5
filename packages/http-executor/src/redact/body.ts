import { MAX_VIOLATION_CHARS, type Violation } from '@gatehouse/contracts';
import { shorten } from '../shorten.ts';
import { type Scrubbed, scrubJson, scrubSentence, scrubUtf8 } from './scrub.ts';
import type { Search } from './search.ts';

export interface RedactedJson {
  readonly kind: 'json';
  /** As the upstream wrote it, but for secrets. */
  readonly bytes: Uint8Array;
  readonly violations: readonly Violation[];
  readonly redactions: number;
}

export interface RedactedText {
  readonly kind: 'text';
  /** Shortened. */
  readonly text: string;
  /** Why it is not taken as JSON; completes "its body is …". */
  readonly reason: string;
  readonly redactions: number;
}

/**
 * Scrubs a JSON document and its violations.
 * @throws {TooManyEchoes}
 */
export function redactJson(
  document: Buffer,
  violations: readonly Violation[],
  search: Search | undefined,
): RedactedJson {
  if (search === undefined)
    return { kind: 'json', bytes: document, violations: violations.map(shortened), redactions: 0 };
  const scrubbed = scrubJson(search, document.toString('latin1'));
  let { redactions } = scrubbed;
  const bytes = redactions === 0 ? document : Buffer.from(scrubbed.text, 'latin1');
  const scrub = (sentence: string): string => {
    const clean = scrubSentence(search, sentence);
    redactions += clean.redactions;
    return clean.text;
  };
  const clean = violations.map(({ pointer, message }) =>
    shortened({ pointer: scrub(pointer), message: scrub(message) }),
  );
  return { kind: 'json', bytes, violations: clean, redactions };
}

function shortened({ pointer, message }: Violation): Violation {
  return { pointer: shortenAsJson(pointer), message: shortenAsJson(message) };
}

/** A control character takes six characters in JSON. */
function shortenAsJson(text: string): string {
  const short = shorten(text, MAX_VIOLATION_CHARS);
  return JSON.stringify(short).length > 2 * MAX_VIOLATION_CHARS
    ? shorten(short, MAX_VIOLATION_CHARS / 6)
    : short;
}

/** Bytes of a text that are scrubbed; far less is shown. */
export const MAX_TEXT_BYTES = 64 * 1024;

/**
 * Scrubs the beginning of a body that is not JSON.
 * @throws {TooManyEchoes}
 */
export function redactText(
  bytes: Buffer,
  reason: string,
  { search, textChars, cut }: { search: Search | undefined; textChars: number; cut: boolean },
): RedactedText {
  const part = bytes.subarray(0, MAX_TEXT_BYTES);
  const { text, redactions }: Scrubbed =
    search === undefined
      ? { text: part.toString(), redactions: 0 }
      : scrubUtf8(search, part, cut || part.length < bytes.length);
  return { kind: 'text', text: shorten(text, textChars), reason, redactions };
}
