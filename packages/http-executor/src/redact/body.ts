import { type BodyType, MAX_VIOLATION_CHARS, type Violation } from '@gatehouse/contracts';
import { type Beginning, type Decoded, jsonOf } from '../response/decode.ts';
import { shorten } from '../shorten.ts';
import { scrubBytes, scrubSentence, scrubText } from './scrub.ts';
import { scrubJson } from './scrub-json.ts';
import type { Search } from './spellings.ts';

/** A body of the type that was asked for, whole. */
export interface RedactedBody {
  readonly kind: BodyType;
  /** JSON: as the upstream wrote it, but for secrets, or a string of text or base64. */
  readonly bytes: Uint8Array;
  readonly violations: readonly Violation[];
  readonly redactions: number;
}

/** The beginning of a body of another type. */
export interface Excerpt {
  readonly kind: 'excerpt';
  readonly text: string;
  /** Why it is an excerpt; completes "its body is …". */
  readonly reason: string;
  readonly redactions: number;
}

/**
 * Scrubs a body, and the violations of its schema.
 * @throws {SearchStopped}
 */
export function redactBody(
  decoded: Decoded,
  violations: readonly Violation[],
  search: Search | undefined,
): RedactedBody {
  if (decoded.kind === 'json') {
    const { result, redactions } = scrubJson(search, decoded.document);
    return withViolations({ kind: 'json', bytes: result, redactions }, violations, search);
  }
  const { clean, redactions } = scrubOther(decoded, search);
  const { kind } = decoded;
  return withViolations({ kind, bytes: jsonOf(clean), redactions }, violations, search);
}

function scrubOther(
  decoded: Exclude<Decoded, { kind: 'json' }>,
  search: Search | undefined,
): { clean: Decoded; redactions: number } {
  if (decoded.kind === 'text') {
    const { result: text, redactions } = scrubText(search, Buffer.from(decoded.text), false);
    return { clean: { kind: 'text', text }, redactions };
  }
  const { result: bytes, redactions } = scrubBytes(search, decoded.bytes);
  return { clean: { kind: 'base64', bytes }, redactions };
}

function withViolations(
  body: Omit<RedactedBody, 'violations'>,
  violations: readonly Violation[],
  search: Search | undefined,
): RedactedBody {
  let { redactions } = body;
  const scrub = (sentence: string): string => {
    const { result, redactions: found } = scrubSentence(search, sentence);
    redactions += found;
    return shortenAsJson(result);
  };
  const clean = violations.map(({ pointer, message }) => ({
    pointer: scrub(pointer),
    message: scrub(message),
  }));
  return { ...body, violations: clean, redactions };
}

/** A control character takes six characters in JSON. */
function shortenAsJson(text: string): string {
  const short = shorten(text, MAX_VIOLATION_CHARS);
  return JSON.stringify(short).length > 2 * MAX_VIOLATION_CHARS
    ? shorten(short, MAX_VIOLATION_CHARS / 6)
    : short;
}

/**
 * Scrubs the beginning of a body.
 * @throws {SearchStopped}
 */
export function redactBeginning(
  { bytes, reason, cut }: Beginning,
  search: Search | undefined,
  textChars: number,
): Excerpt {
  const { result, redactions } = scrubText(search, bytes, cut);
  return { kind: 'excerpt', text: shorten(result, textChars), reason, redactions };
}
