import { type BodyType, MAX_VIOLATION_CHARS, type Violation } from '@gatehouse/contracts';
import { type Beginning, type Decoded, jsonOf } from '../decode/decode.ts';
import { shorten } from '../errors.ts';
import { type Scrubbed, scrubBytes, scrubText } from './scrub.ts';
import { scrubJson } from './scrub-json.ts';
import { type Search, SearchStopped } from './search.ts';

/** A body that may be shown. */
export type RedactedBody = WholeBody | Excerpt | Withheld;

/** A body of the type that was asked for, whole. */
interface WholeBody {
  readonly kind: BodyType;
  /** JSON: as the upstream wrote it, but for secrets, or a string of text or base64. */
  readonly json: Uint8Array;
  readonly violations: readonly Violation[];
  readonly redactions: number;
}

/** The beginning of a body of another type. */
interface Excerpt {
  readonly kind: 'excerpt';
  readonly text: string;
  /** Why it is an excerpt; completes "its body is …". */
  readonly reason: string;
  readonly redactions: number;
}

/** A body of which nothing may be shown. */
interface Withheld {
  readonly kind: 'withheld';
  /** Completes "its body …". */
  readonly reason: string;
}

export const withheld = (reason: string): Withheld => ({ kind: 'withheld', reason });

/** Scrubs the secrets in a body, and in the violations of its schema. */
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

/** The JSON that a body is shown as. */
function scrubBody(body: Decoded, search: Search | undefined): Scrubbed<Buffer> {
  if (body.kind === 'json') return scrubJson(search, body.document);
  if (body.kind === 'text') {
    const { result: text, redactions } = scrubText(search, Buffer.from(body.text), false);
    return { result: jsonOf({ kind: 'text', text }), redactions };
  }
  const { result: bytes, redactions } = scrubBytes(search, body.bytes);
  return { result: jsonOf({ kind: 'base64', bytes }), redactions };
}

/** A control character takes six characters in JSON. */
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
