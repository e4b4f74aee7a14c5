import { charsetOf, decodeText } from '../charset.ts';
import { findSecrets, type Search } from '../redact/search.ts';

/** How a body is to be read as text. */
export interface TextOptions {
  readonly contentType: string | undefined;
  /** Absent when the request has no secrets. */
  readonly search: Search | undefined;
  /** Reading stopped before the end of the body. */
  readonly cut: boolean;
}

/**
 * A body as text: by its byte order mark, its charset, or as UTF-8. Otherwise a reason,
 * which completes "its body is …".
 */
export function readText(
  bytes: Buffer,
  { contentType, search, cut }: TextOptions,
): { readonly text: string } | { readonly reason: string } {
  const charset = charsetOf(bytes, contentType);
  const text = decodeText(bytes, charset, cut);
  if (text === undefined || (search !== undefined && hidesSecrets(text, bytes, search)))
    return { reason: `not text in the charset \`${charset}\`` };
  return { text };
}

/** Whether bytes hold secrets that the text does not show: its charset is another one. */
function hidesSecrets(text: string, bytes: Buffer, search: Search): boolean {
  const utf8 = Buffer.from(text);
  // A byte order mark may be missing in the text.
  if (utf8.equals(bytes.subarray(bytes.length - utf8.length))) return false;
  const holds = (each: Buffer) => findSecrets(search, each).length > 0;
  return holds(bytes) && !holds(utf8);
}

/** The control characters of binary data (MIME Sniffing standard, "binary data byte"). */
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

export const isBinary = (text: string): boolean => BINARY.test(text);

/** Bytes of an answer that are free for a text, besides twice the bytes of the response. */
const FREE_BYTES = 16 * 1024;

/** Whether a text leaves its answer within bounds (contract section 3, "Bounds"). */
export function fitsAnswer(text: string, received: number): boolean {
  const most = 2 * received + FREE_BYTES;
  let bytes = 2;
  for (let at = 0; at < text.length && bytes <= most; at++)
    bytes += bytesInJson(text.charCodeAt(at));
  return bytes <= most;
}

const ASCII = 0x80;
const IN_JSON = Uint8Array.from(
  { length: ASCII },
  (_, code) => Buffer.byteLength(JSON.stringify(String.fromCharCode(code))) - '""'.length,
);

/** The bytes that JSON takes for a UTF-16 code unit; for half a pair, half of its four. */
function bytesInJson(unit: number): number {
  if (unit < ASCII) return IN_JSON[unit] as number;
  return unit < 0x8_00 || (unit & 0xf8_00) === 0xd8_00 ? 2 : 3;
}
