/** Cuts text that is too long and appends `…`. Each unpaired surrogate becomes U+FFFD. */
export function shorten(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text).toWellFormed();
}

const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|([^\s;"]+))/i;

/** Returns the charset parameter of a content type, or undefined if it is missing or empty. */
export function charsetIn(contentType: string | undefined): string | undefined {
  const [, quoted, plain] = CHARSET.exec(contentType ?? '') ?? [];
  return quoted?.trim() || plain;
}

/** Returns the media type in lower case, or undefined if the content type is blank. */
export function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() || undefined;
}

/**
 * Decodes text and drops its byte order mark. Returns undefined if the bytes are invalid in the
 * charset. If `cut` is true, drops an incomplete last character.
 */
export function decodeText(bytes: Uint8Array, charset: string, cut = false): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

export const HALF_CHARACTER =
  'must not contain an unpaired surrogate, which UTF-8 cannot encode; only a JSON body can carry one, as an escape';
