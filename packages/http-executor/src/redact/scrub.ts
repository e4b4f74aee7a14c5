import { JsonScanner, Token } from '@gatehouse/json-text';
import { findBeginningAtEnd, findSecrets, type Search, type Span } from './search.ts';

export const REDACTED = 'REDACTED';

/** A text without its secrets, and how many there were. Texts are UTF-8 bytes in latin1. */
export interface Scrubbed {
  readonly text: string;
  readonly redactions: number;
}

/** Scrubs a text of any kind. Throws `TooManyEchoes`. */
export function scrubText(search: Search, text: string): Scrubbed {
  const spans = merged(findSecrets(search, text));
  return { text: replaceSpans(text, spans, () => REDACTED), redactions: spans.length };
}

/**
 * Scrubs a text that was cut off somewhere: what may be the beginning of a secret at its end goes, too.
 * Throws `TooManyEchoes`.
 */
export function scrubCutText(search: Search, text: string): Scrubbed {
  const whole = text.replace(UNFINISHED_ESCAPE, '');
  const spans = merged(findSecrets(search, whole));
  const cutAt = findBeginningAtEnd(search, whole);
  const before = spans.filter(([start]) => start < cutAt);
  return { text: replaceSpans(whole, before, () => REDACTED, cutAt), redactions: before.length };
}

const UNFINISHED_ESCAPE = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|&(?:#?[a-z\d]{0,8})|~)$/i;

/**
 * Scrubs a JSON document where it stands: everything but strings with a secret in them, and numbers that are one,
 * stays byte for byte. Names of members stay different from each other. Throws `TooManyEchoes`.
 */
export function scrubJson(search: Search, text: string): Scrubbed {
  const found = findSecrets(search, text);
  if (found.length === 0) return { text, redactions: 0 };
  const names = new ScrubbedNames(text);
  const scanner = new JsonScanner(text);
  const parts: string[] = [];
  let redactions = 0;
  let next = 0;
  let copied = 0;
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    const { start, end, depth } = scanner;
    if (token === Token.BeginObject) names.enter(depth);
    const inside: Span[] = [];
    for (let span = found[next]; span !== undefined && span[0] < end; span = found[next]) {
      if (span[0] >= start && span[1] <= end) inside.push(span);
      next += 1;
    }
    if (inside.length === 0) continue;
    const scrubbed = scrubToken(token, { start, end }, inside, () =>
      token === Token.Key ? names.next(depth) : REDACTED,
    );
    for (const [from, to, replacement] of scrubbed) {
      parts.push(text.slice(copied, from), replacement);
      copied = to;
    }
    redactions += scrubbed.length;
  }
  parts.push(text.slice(copied));
  return { text: parts.join(''), redactions };
}

type Replacement = readonly [from: number, to: number, text: string];

/** What to replace in one token of a JSON text: what is inside the quotes of a string, or a number as a whole. */
function scrubToken(
  token: Token,
  { start, end }: { start: number; end: number },
  spans: readonly Span[],
  replacement: () => string,
): Replacement[] {
  if (token === Token.Number) {
    const whole = spans.some(([from, to]) => from === start && to === end);
    return whole ? [[start, end, `"${REDACTED}"`]] : [];
  }
  if (token !== Token.String && token !== Token.Key) return [];
  const inQuotes = spans.filter(([from, to]) => from > start && to < end);
  return merged(inQuotes).map(([from, to]) => [from, to, replacement()]);
}

/** What scrubbed names show, so that no two members of an object become one. */
class ScrubbedNames {
  readonly #text: string;
  readonly #mayCollide: boolean;
  /** By depth, how many names of the object were scrubbed. */
  readonly #counts: number[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#mayCollide = text.includes(REDACTED);
  }

  enter(depth: number): void {
    this.#counts[depth] = 0;
  }

  /** `REDACTED`, then `REDACTED_2` and so on; not what the upstream itself wrote somewhere. */
  next(depth: number): string {
    const count = (this.#counts[depth] ?? 0) + 1;
    this.#counts[depth] = count;
    const name = count === 1 ? REDACTED : `${REDACTED}_${count}`;
    return this.#mayCollide && this.#text.includes(name) ? this.next(depth) : name;
  }
}

/** Spans that overlap become one. */
function merged(spans: readonly Span[]): Span[] {
  const merged: [start: number, end: number][] = [];
  for (const [start, end] of spans) {
    const last = merged.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function replaceSpans(text: string, spans: readonly Span[], replacement: () => string, until = text.length): string {
  let replaced = '';
  let position = 0;
  for (const [start, end] of spans) {
    replaced += text.slice(position, start) + replacement();
    position = end;
  }
  return replaced + text.slice(position, Math.max(position, until));
}
