/** Escapes characters that could move a terminal's cursor, hide text or reorder it. */
export function printable(text: string): string {
  const code = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`;
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]/gu, code);
}
