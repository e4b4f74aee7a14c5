const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const COMMA = 0x2c;

/** Where the value of a member stands in the text of a JSON object. */
function placeOf(
  document: string,
  name: string,
): readonly [start: number, end: number] | undefined {
  let at = document.indexOf('{') + 1;
  while (at < document.length) {
    const keyStart = document.indexOf('"', at);
    if (keyStart === -1) return undefined;
    const keyEnd = endOfString(document, keyStart);
    const valueStart = document.indexOf(':', keyEnd) + 1;
    const valueEnd = endOfValue(document, valueStart);
    if (document.slice(keyStart + 1, keyEnd - 1) === name) return [valueStart, valueEnd];
    at = valueEnd + 1;
  }
  return undefined;
}

/** The text of a member of a JSON object, as it is written there. */
export function memberText(document: string, name: string): string | undefined {
  const place = placeOf(document, name);
  return place && document.slice(...place);
}

/** The document with `null` for a member, which may be too large to read. */
export function emptied(document: string, name: string): string {
  const [start, end] = placeOf(document, name) ?? [];
  return start === undefined ? document : `${document.slice(0, start)}null${document.slice(end)}`;
}

/** Behind the closing quote of the string that begins here. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE)
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** At the comma or bracket behind the value that begins here. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (depth === 0 && (code === COMMA || CLOSE.has(code))) return at;
    if (OPEN.has(code)) depth += 1;
    else if (CLOSE.has(code)) depth -= 1;
    at += 1;
  }
  return at;
}
