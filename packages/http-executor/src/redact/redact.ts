import { type BodyType, MAX_VIOLATION_CHARS, type Violation } from '@gatehouse/contracts';
import { type Beginning, type Decoded, toJson } from '../decode/decode.ts';
import { shorten } from '../text.ts';
import { type Scrubbed, scrubBytes, scrubText } from './scrub.ts';
import { scrubJson } from './scrub-json.ts';
import { type Search, SearchStopped } from './search.ts';

export type RedactedBody = WholeBody | Excerpt | Withheld;

interface WholeBody {
  readonly kind: BodyType;
  /** The JSON that was received, without its secrets, or a JSON string of text or base64. */
  readonly json: Uint8Array;
  readonly violations: readonly Violation[];
  readonly redactions: number;
}

/** The beginning of a body that is not of the requested type. */
interface Excerpt {
  readonly kind: 'excerpt';
  readonly text: string;
  /** Completes the sentence "its body is …". */
  readonly reason: string;
  readonly redactions: number;
}

/** A body that must not be shown at all. */
interface Withheld {
  readonly kind: 'withheld';
  /** Completes the sentence "its body …". */
  readonly reason: string;
}

export const withheld = (reason: string): Withheld => ({ kind: 'withheld', reason });

/** Redacts the secrets in a body and in the violations of its schema. */
export function redact(
  body: Decoded | Beginning,
  violations: readonly Violation[],
  search: Search | undefined,
): RedactedBody {
  try {
    if (body.kind === 'beginning') return redactBeginning(body, search);
    const { result: json, redactions: inBody } = scrubBody(body, search);
    let redactions = inBody;
    const scrub = (sentence: string): string => {
      const scrubbed = scrubText(search, Buffer.from(sentence), false);
      redactions += scrubbed.redactions;
      return shortenAsJson(scrubbed.result);
    };
    const clean = violations.map(({ pointer, message }) => ({
      pointer: scrub(pointer),
      message: scrub(message),
    }));
    return { kind: body.kind, json, violations: clean, redactions };
  } catch (error) {
    if (!(error instanceof SearchStopped)) throw error;
    return withheld(error.message);
  }
}

function scrubBody(body: Decoded, search: Search | undefined): Scrubbed<Buffer> {
  if (body.kind === 'json') return scrubJson(search, body.document);
  if (body.kind === 'text') {
    const { result: text, redactions } = scrubText(search, Buffer.from(body.text), false);
    return { result: toJson({ kind: 'text', text }), redactions };
  }
  const { result: bytes, redactions } = scrubBytes(search, body.bytes);
  return { result: toJson({ kind: 'base64', bytes }), redactions };
}

/** Shortens text further if it has many control characters, because JSON escapes them. */
function shortenAsJson(text: string): string {
  const short = shorten(text, MAX_VIOLATION_CHARS);
  return JSON.stringify(short).length > 2 * MAX_VIOLATION_CHARS
    ? shorten(short, MAX_VIOLATION_CHARS / 6)
    : short;
}

function redactBeginning(
  { bytes, textChars, reason, cut }: Beginning,
  search: Search | undefined,
): Excerpt {
  const { result, redactions } = scrubText(search, bytes, cut);
  return { kind: 'excerpt', text: shorten(result, textChars), reason, redactions };
}
