/** Cuts text and appends `…`. Half a surrogate pair becomes U+FFFD. */
export function shorten(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text).toWellFormed();
}
