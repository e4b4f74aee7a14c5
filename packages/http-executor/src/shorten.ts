/**
 * A text of at most so many characters; `…` stands for what is left out, and half a
 * character is none.
 */
export function shorten(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text).toWellFormed();
}
