import { isUtf8 } from 'node:buffer';
import type { SchemaViolation } from '@gatehouse/contracts';
import { JsonFault, JsonScanner, Token } from '@gatehouse/json-text';
import { MAX_JSON_DEPTH } from '../json-depth.ts';
import { scrubCutText, scrubJson, scrubText } from '../redact/scrub.ts';
import { type Search, TooManyEchoes } from '../redact/search.ts';
import { shorten } from '../shorten.ts';

/**
 * Finds out what breaks a schema in a JSON document. Throws a `JsonFault` where the text
 * is none, or nests too deep.
 */
export type Validate = (document: Buffer) => readonly SchemaViolation[];

export interface ExamineOptions {
  /** For the secrets of the request; absent when it has none. */
  readonly search: Search | undefined;
  /** Absent when the action has no schema, or the body is none that a schema is for. */
  readonly validate: Validate | undefined;
  /** How many characters are shown of a body that is not JSON. */
  readonly textChars: number;
  /** Whether reading stopped before the end of the body. */
  readonly cut: boolean;
}

/** What a body is, redacted. */
export type Examined =
  | {
      readonly kind: 'json';
      /** The document as the upstream wrote it, but for secrets. */
      readonly bytes: Uint8Array;
      readonly violations: readonly SchemaViolation[];
      readonly redactions: number;
    }
  | {
      readonly kind: 'text';
      /** Shortened. */
      readonly text: string;
      /** Why it is not taken as JSON; completes "its body is …". */
      readonly why: string;
      readonly redactions: number;
    }
  | {
      readonly kind: 'withheld';
      /** Why it is not shown at all; completes "its body …". */
      readonly why: string;
    };

const NULL = Buffer.from('null');
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const NOT_JSON = 'not JSON in UTF-8';

/**
 * Reads a body to judge it, whatever its content type says: what is JSON comes back byte
 * for byte, with only its secrets replaced; of anything else the beginning is shown. A
 * pure function of time and memory linear in the body.
 */
export function examineBody(bytes: Buffer, options: ExamineOptions): Examined {
  try {
    return examine(bytes, options);
  } catch (error) {
    if (!(error instanceof TooManyEchoes)) throw error;
    return { kind: 'withheld', why: 'repeats the credentials of the request too often' };
  }
}

function examine(bytes: Buffer, options: ExamineOptions): Examined {
  const document = bytes.length === 0 ? NULL : withoutMark(bytes);
  const why = options.cut || !isUtf8(document) ? NOT_JSON : undefined;
  if (why !== undefined) return examineText(document, why, options);
  try {
    const violations =
      options.validate === undefined ? checkJson(document) : options.validate(document);
    return examineJson(document, violations, options);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const fault =
      error.reason === 'depth' ? `nested deeper than ${MAX_JSON_DEPTH} levels` : NOT_JSON;
    return examineText(document, fault, options);
  }
}

function withoutMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === BYTE_ORDER_MARK[0] && bytes.indexOf(BYTE_ORDER_MARK) === 0;
  return marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

const NONE: readonly SchemaViolation[] = [];

/** Throws a `JsonFault` when a document is no JSON that is passed on. */
function checkJson(document: Buffer): readonly SchemaViolation[] {
  const scanner = new JsonScanner(document, MAX_JSON_DEPTH);
  while (scanner.next() !== Token.End);
  return NONE;
}

function examineJson(
  bytes: Buffer,
  found: readonly SchemaViolation[],
  { search }: ExamineOptions,
): Examined {
  if (search === undefined)
    return { kind: 'json', bytes, violations: found.map(shortened), redactions: 0 };
  const scrubbed = scrubJson(search, bytes.toString('latin1'));
  let { redactions } = scrubbed;
  const unchanged = redactions === 0;
  const scrub = (sentence: string): string => {
    const clean = scrubPart(
      search,
      Buffer.from(sentence.slice(0, MAX_TEXT_BYTES)),
      sentence.length > MAX_TEXT_BYTES,
    );
    redactions += clean.redactions;
    return clean.text;
  };
  const violations = found.map(({ path, message }) =>
    shortened({ path: scrub(path), message: scrub(message) }),
  );
  return {
    kind: 'json',
    bytes: unchanged ? bytes : Buffer.from(scrubbed.text, 'latin1'),
    violations,
    redactions,
  };
}

const MAX_VIOLATION_CHARS = 300;

function shortened({ path, message }: SchemaViolation): SchemaViolation {
  return { path: shortenWritten(path), message: shortenWritten(message) };
}

/**
 * A text of control characters takes six times its length as JSON, and has to be shorter.
 */
function shortenWritten(text: string): string {
  const short = shorten(text, MAX_VIOLATION_CHARS);
  return JSON.stringify(short).length > 2 * MAX_VIOLATION_CHARS
    ? shorten(short, MAX_VIOLATION_CHARS / 6)
    : short;
}

/**
 * So much of a text is looked at: what is shown of it is far less, and a secret at its
 * end may be cut.
 */
export const MAX_TEXT_BYTES = 64 * 1024;

function examineText(
  bytes: Buffer,
  why: string,
  { search, textChars, cut }: ExamineOptions,
): Examined {
  const part = bytes.subarray(0, MAX_TEXT_BYTES);
  const { text, redactions } =
    search === undefined
      ? { text: part.toString(), redactions: 0 }
      : scrubPart(search, part, cut || part.length < bytes.length);
  return { kind: 'text', text: shorten(text, textChars), why, redactions };
}

function scrubPart(
  search: Search,
  part: Buffer,
  cut: boolean,
): { text: string; redactions: number } {
  const { text, redactions } = (cut ? scrubCutText : scrubText)(search, part.toString('latin1'));
  return { text: Buffer.from(text, 'latin1').toString(), redactions };
}
