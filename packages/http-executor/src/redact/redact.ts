import { type BodyType, MAX_VIOLATION_CHARS, type Violation } from '@gatehouse/contracts';
import { type Beginning, type Decoded, jsonOf } from '../decode/decode.ts';
import { shorten } from '../errors.ts';
import { scrubBytes, scrubText } from './scrub.ts';
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
    const { json, redactions } = scrubBody(body, search);
    return withViolations({ kind: body.kind, json, redactions }, violations, search);
  } catch (error) {
    if (!(error instanceof SearchStopped)) throw error;
    return withheld(error.message);
  }
}

function scrubBody(
  body: Decoded,
  search: Search | undefined,
): Pick<WholeBody, 'json' | 'redactions'> {
  switch (body.kind) {
    case 'json': {
      const { result: json, redactions } = scrubJson(search, body.document);
      return { json, redactions };
    }
    case 'text': {
      const { result: text, redactions } = scrubText(search, Buffer.from(body.text), false);
      return { json: jsonOf({ kind: 'text', text }), redactions };
    }
    case 'base64': {
      const { result: bytes, redactions } = scrubBytes(search, body.bytes);
      return { json: jsonOf({ kind: 'base64', bytes }), redactions };
    }
  }
}

function withViolations(
  body: Omit<WholeBody, 'violations'>,
  violations: readonly Violation[],
  search: Search | undefined,
): WholeBody {
  let { redactions } = body;
  const scrub = (sentence: string): string => {
    const scrubbed = scrubText(search, Buffer.from(sentence), false);
    redactions += scrubbed.redactions;
    return shortenAsJson(scrubbed.result);
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

function redactBeginning(
  { bytes, textChars, reason, cut }: Beginning,
  search: Search | undefined,
): Excerpt {
  const { result, redactions } = scrubText(search, bytes, cut);
  return { kind: 'excerpt', text: shorten(result, textChars), reason, redactions };
}
