import { failure, type ResponseHeaders, type Result, success } from '@gatehouse/contracts';
import { decodeText } from '@gatehouse/contracts/action';
import type { Answer, Body } from './decode.ts';
import type { HeaderRules } from './secrets/header-names.ts';
import { shortenViolation } from './secrets/redact-violations.ts';
import { REDACTED, scrubBytes, scrubJson } from './secrets/scrub.ts';
import { findSecrets } from './secrets/search.ts';
import type { Secrets } from './secrets/secrets.ts';
import { latin1ToUtf8 } from './text.ts';

/**
 * Replaces the executor's own credentials in an answer, before anything else looks at it.
 *
 * INVARIANT: the result depends on the upstream's answer and the executor's credentials alone. If
 * this search shared its echoes or its limit with the search for the caller's secrets, a caller
 * could send guesses as secrets, and see which of them touch a credential.
 */
export function conceal(answer: Answer, credentials: Secrets): Promise<Answer> {
  return replaceInAnswer(answer, credentials);
}

/** Masks credential headers, and replaces the caller's secrets in a concealed answer. */
export async function redact(
  answer: Answer,
  secrets: Secrets,
  rules: HeaderRules,
): Promise<Answer> {
  const masked = answer.headers && { headers: maskHeaders(answer.headers, rules) };
  const links = rules.isCredential('link') ? {} : answer.links;
  const scrubbed = await replaceInAnswer({ ...answer, ...masked, links }, secrets);
  return { ...scrubbed, violations: scrubbed.violations.map(shortenViolation) };
}

function maskHeaders(headers: ResponseHeaders, { isShown, isCredential }: HeaderRules) {
  const shown = Object.entries(headers).filter(([name]) => isShown(name));
  const masked = shown.map(([name, value]) => {
    if (isCredential(name)) return [name, REDACTED] as const;
    return [name, typeof value === 'string' ? decode(value) : value.map(decode)] as const;
  });
  return Object.fromEntries(masked);
}

const NON_ASCII = /[^\0-\x7f]/;

/** Decodes a header value that is UTF-8. Other values stay latin1. */
const decode = (value: string): string =>
  NON_ASCII.test(value) ? (latin1ToUtf8(value) ?? value) : value;

/** Replaces secrets in everything that an upstream can influence, and counts them. */
async function replaceInAnswer(answer: Answer, secrets: Secrets): Promise<Answer> {
  if (secrets.spellings.length === 0) return answer;
  const scrubbed = await replaceInBody(answer.body, secrets);
  if (!scrubbed.ok)
    return replaceInTexts(
      { ...answer, body: { kind: 'withheld', reason: scrubbed.reason } },
      secrets,
    );
  const { body, echoes } = scrubbed.value;
  return replaceInTexts({ ...answer, body, redactions: answer.redactions + echoes }, secrets);
}

/** A body without secrets, or the reason why it must be withheld. */
type ReplacedBody = Result<{ readonly body: Body; readonly echoes: number }>;

async function replaceInBody(body: Body, secrets: Secrets): Promise<ReplacedBody> {
  switch (body.kind) {
    case 'json': {
      const scrubbed = await scrubJson(body.document, secrets);
      if (!scrubbed.ok) return scrubbed;

      const { bytes: document, echoes } = scrubbed.value;
      // Drop the part that was taken before, because it still contains the secrets.
      const isSame = document === body.document;
      return success({ body: isSame ? body : { kind: 'json', document }, echoes });
    }

    case 'base64':
      return replaceInBytes(body, secrets);

    case 'text':
    case 'excerpt':
      return replaceInText(body, secrets);

    default:
      return success({ body, echoes: 0 });
  }
}

const IRREPLACEABLE = failure('echoes credentials in a charset in which they cannot be replaced');
const UTF8_LABEL = /^utf-?8$/i;

type Bytes = Extract<Body, { kind: 'base64' }>;

/** Searches bytes as received. Withholds them if secrets remain in the text that they decode to. */
async function replaceInBytes(body: Bytes, secrets: Secrets): Promise<ReplacedBody> {
  const scrubbed = await scrubBytes(body.bytes, secrets);
  if (!scrubbed.ok) return scrubbed;
  const { bytes, echoes } = scrubbed.value;
  const text = UTF8_LABEL.test(body.charset) ? undefined : decodeText(bytes, body.charset);
  if (text !== undefined) {
    const found = await findSecrets(Buffer.from(text), secrets);
    if (!found.ok || found.value.length > 0) return IRREPLACEABLE;
  }
  return success({ body: { ...body, bytes }, echoes });
}

type Text = Extract<Body, { kind: 'text' | 'excerpt' }>;

/** Searches text as received, because its charset may be wrong, and then as decoded. */
async function replaceInText(body: Text, secrets: Secrets): Promise<ReplacedBody> {
  const cut = body.kind === 'excerpt' && body.cut;
  const received = await scrubBytes(body.bytes, secrets, cut);
  if (!received.ok) return received;

  const { bytes, echoes } = received.value;
  const text = bytes === body.bytes ? body.text : decodeAgain(body, bytes, cut);
  if (text === undefined) return IRREPLACEABLE;

  if (UTF8_LABEL.test(body.charset)) return success({ body: { ...body, bytes, text }, echoes });

  const utf8 = Buffer.from(text);
  const decoded = await scrubBytes(utf8, secrets, cut);
  if (!decoded.ok) return decoded;

  if (decoded.value.bytes === utf8) return success({ body: { ...body, bytes, text }, echoes });

  // Drop the bytes as received, because they still contain the secrets.
  const clean = { bytes: decoded.value.bytes, charset: 'utf-8', text: `${decoded.value.bytes}` };
  return success({ body: { ...body, ...clean }, echoes: echoes + decoded.value.echoes });
}

/** Decodes text after a change. An excerpt may be of a body that is not text at all. */
function decodeAgain({ kind, charset }: Text, bytes: Buffer, cut: boolean): string | undefined {
  return decodeText(bytes, charset, cut) ?? (kind === 'excerpt' ? `${bytes}` : undefined);
}

/** Replaces secrets in an answer's strings, all at once because most answers contain none. */
async function replaceInTexts(answer: Answer, secrets: Secrets): Promise<Answer> {
  const json = Buffer.from(JSON.stringify(textsToRedact(answer)));
  const scrubbed = await scrubJson(json, secrets);
  if (!scrubbed.ok) return withTexts(answer, JSON.parse(json.toString(), maskText));
  const { bytes, echoes } = scrubbed.value;
  if (echoes === 0) return answer;
  const redactions = answer.redactions + echoes;
  return withTexts({ ...answer, redactions }, JSON.parse(bytes.toString()));
}

const maskText = (_name: string, value: unknown) => (typeof value === 'string' ? REDACTED : value);

/** INVARIANT: the member names in here are shorter than any secret. */
const textsToRedact = ({ headers = {}, links, redirects, messages, violations, body }: Answer) =>
  [
    Object.entries(headers),
    Object.entries(links),
    redirects,
    messages,
    violations,
    'reason' in body ? body.reason : '',
  ] as const;

function withTexts(answer: Answer, texts: ReturnType<typeof textsToRedact>): Answer {
  const [entries, linked, redirects, messages, violations, reason] = texts;
  const headers = answer.headers && { headers: Object.fromEntries(entries) };
  const body = 'reason' in answer.body ? { ...answer.body, reason } : answer.body;
  const links = Object.fromEntries(linked);
  return { ...answer, ...headers, links, redirects, messages, violations, body };
}
