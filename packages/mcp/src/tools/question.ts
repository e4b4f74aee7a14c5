import type { ActionArguments, Sections } from '@gatehouse/contracts';

const MAX_URL_CHARS = 2_000;
const MAX_CHARS = 1_000;

/** Matches headers such as `Authorization`, whose values a host should neither show nor store. */
const CREDENTIAL = /auth|cookie|key|token|secret|session|signature|passw/i;

/** Writes the question for the user: the request, its facts, and why it needs approval. */
export function questionFor(action: ActionArguments, facts: Sections, reason: string): string {
  const { method, url, headers, body } = action;
  const shownHeaders = Object.entries(headers ?? {}).map(
    ([name, value]) => `${name}: ${CREDENTIAL.test(name) ? '…' : value}`,
  );
  const lines = [
    `Send ${onOneLine(`${method.toUpperCase()} ${url}`, MAX_URL_CHARS)}?`,
    shownHeaders.length === 0 ? '' : `Headers: ${onOneLine(shownHeaders.join(', '))}`,
    body === undefined || body === null ? '' : `Body: ${onOneLine(JSON.stringify(body))}`,
    `Facts stated for the policy: ${onOneLine(JSON.stringify(facts))}`,
    `Reason for approval: ${onOneLine(reason)}`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/**
 * INVARIANT: the returned text has no line breaks and no characters that reorder or hide text. If
 * the text is cut short, the result ends with the number of omitted characters.
 */
function onOneLine(text: string, most = MAX_CHARS): string {
  const code = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`;
  const plain = text.slice(0, most).toWellFormed();
  const line = plain.replaceAll(/[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]/gu, code);
  const more = text.length - most;
  return more > 0 ? `${line} … (${more} more characters)` : line;
}
