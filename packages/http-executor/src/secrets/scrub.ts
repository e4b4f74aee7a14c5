import { setImmediate } from 'node:timers/promises';
import { type Result, success } from '@gatehouse/contracts';
import { JsonScanner, JsonToken } from '@gatehouse/contracts/json';
import { findSecrets, MAX_ECHOES, type Span, TOO_MANY_ECHOES } from './search.ts';
import type { Secrets } from './secrets.ts';

/** Replaces each echo of a secret. */
export const REDACTED = 'REDACTED';

interface Scrubbed {
  /** Result of a search: the same bytes as before if nothing was replaced. */
  readonly bytes: Buffer;
  readonly echoes: number;
}

/**
 * Replaces secrets in bytes or UTF-8 text. If the end of the text is missing (`cut` is true), drops
 * the last bytes, because they may be the beginning of a secret.
 */
export async function scrubBytes(
  bytes: Buffer,
  secrets: Secrets,
  cut = false,
): Promise<Result<Scrubbed>> {
  const found = await findSecrets(bytes, secrets);
  if (!found.ok) return found;
  const end = cut ? Math.max(0, bytes.length - secrets.longest) : bytes.length;
  const spans = found.value.filter(([start]) => start < end);
  return success({ bytes: replaceSpans(bytes, spans, end), echoes: spans.length });
}

/** Copies bytes up to `end` with the spans replaced, or returns `bytes` if that changes nothing. */
function replaceSpans(bytes: Buffer, spans: readonly Span[], end = bytes.length): Buffer {
  if (spans.length === 0) return end === bytes.length ? bytes : bytes.subarray(0, end);
  const parts: Buffer[] = [];
  let copied = 0;
  for (const [start, after] of spans) {
    parts.push(bytes.subarray(copied, start), REDACTED_BYTES);
    copied = after;
  }
  return Buffer.concat([...parts, bytes.subarray(copied, Math.max(copied, end))]);
}

const REDACTED_BYTES = Buffer.from(REDACTED);

/**
 * Replaces secrets in the strings and member names of a UTF-8 JSON document, and numbers that are
 * secrets as a whole. INVARIANT: all other bytes stay the same, and the document stays valid.
 */
export async function scrubJson(document: Buffer, secrets: Secrets): Promise<Result<Scrubbed>> {
  const found = await findSecrets(document, secrets);
  if (!found.ok) return found;

  const tokens = await tokensAt(document, found.value);
  if (tokens.length > MAX_ECHOES) return TOO_MANY_ECHOES;

  const parts: Buffer[] = [];
  let copied = 0;
  let echoes = 0;
  let unpaused = 0;
  for (const { token, start, end } of tokens) {
    unpaused += SEARCH_BYTES + end - start;
    if (unpaused > BYTES_PER_PAUSE) {
      await setImmediate();
      unpaused = 0;
    }
    const scrubbed = await scrubToken(token, document.subarray(start, end), secrets);
    if (!scrubbed.ok) return scrubbed;

    if (scrubbed.value.echoes === 0) continue;

    parts.push(document.subarray(copied, start), scrubbed.value.bytes);
    copied = end;
    echoes += scrubbed.value.echoes;
  }
  const bytes = copied === 0 ? document : Buffer.concat([...parts, document.subarray(copied)]);
  return success({ bytes, echoes });
}

/** Number of bytes to search without a pause, which takes a few milliseconds. */
const BYTES_PER_PAUSE = 256 * 1024;
/** Searching a short token takes as long as searching this many bytes of a long one. */
const SEARCH_BYTES = 512;
const TOKENS_PER_PAUSE = 20_000;

interface Token extends Pick<JsonScanner, 'start' | 'end'> {
  readonly token: JsonToken;
}

/**
 * Lists the tokens that overlap a span, at most one more than `MAX_ECHOES`. Searching the whole
 * document first is much faster than searching each token, but also finds secrets that span two
 * tokens.
 */
async function tokensAt(document: Buffer, spans: readonly Span[]): Promise<Token[]> {
  const scanner = new JsonScanner(document);
  const found: Token[] = [];
  let next = 0;
  let span = spans[next];
  for (let read = 1; span !== undefined && found.length <= MAX_ECHOES; read++) {
    if (read % TOKENS_PER_PAUSE === 0) await setImmediate();
    const token = scanner.next();
    const { start, end } = scanner;
    while (span !== undefined && span[1] <= start) span = spans[++next];
    if (span !== undefined && span[0] < end) found.push({ token, start, end });
  }
  return found;
}

async function scrubToken(
  token: JsonToken,
  written: Buffer,
  secrets: Secrets,
): Promise<Result<Scrubbed>> {
  const isString = token === JsonToken.Key || token === JsonToken.String;
  const content = isString ? Buffer.from(JSON.parse(written.toString())) : written;
  const found = await findSecrets(content, secrets, 1);
  if (!found.ok) return found;

  const [first] = found.value;
  const isWhole = first?.[0] === 0 && first[1] === content.length;
  if (!isString && !isWhole) return success({ bytes: written, echoes: 0 });

  const text = replaceSpans(content, found.value).toString();
  return success({ bytes: Buffer.from(JSON.stringify(text)), echoes: found.value.length });
}
