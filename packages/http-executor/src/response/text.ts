import { charsetOf, decodeText } from '../charset.ts';

/** How a body is to be read as text. */
export interface TextOptions {
  readonly contentType: string | undefined;
  /** Reading stopped before the end of the body. */
  readonly cut: boolean;
}

/**
 * A body as text: by its byte order mark, its charset, or as UTF-8. Otherwise a reason,
 * which completes "its body is …".
 */
export function readText(
  bytes: Buffer,
  { contentType, cut }: TextOptions,
): { readonly text: string } | { readonly reason: string } {
  const charset = charsetOf(bytes, contentType);
  const text = decodeText(bytes, charset, cut);
  return text === undefined ? { reason: `not text in the charset \`${charset}\`` } : { text };
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
