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
