import { decodeText } from '@gatehouse/contracts/action';
import type { Answer, Body } from '../../src/decode.ts';

/** Returns an answer with this body and without anything else, apart from `others`. */
export function answerWith(body: Body, others: Partial<Answer> = {}): Answer {
  return { body, links: {}, redirects: [], messages: [], violations: [], redactions: 0, ...others };
}

export const jsonBody = (document: string): Body => ({
  kind: 'json',
  document: Buffer.from(document),
});

export const textBody = (bytes: Buffer | string, charset = 'utf-8'): Body => ({
  kind: 'text',
  ...decoded(bytes, charset),
});

export const excerptBody = (bytes: Buffer | string, cut: boolean, charset = 'utf-8'): Body => ({
  kind: 'excerpt',
  ...decoded(bytes, charset),
  cut,
  reason: 'not JSON in UTF-8',
});

export const base64Body = (bytes: Buffer | string, charset = 'utf-8'): Body => ({
  kind: 'base64',
  bytes: Buffer.from(bytes),
  charset,
});

function decoded(content: Buffer | string, charset: string) {
  const bytes = Buffer.from(content);
  return { bytes, charset, text: decodeText(bytes, charset, true) ?? bytes.toString() };
}

/** Returns what an outcome would show of a body, as text. */
export function shownOf(body: Body): string {
  if (body.kind === 'json') return body.document.toString();
  if (body.kind === 'base64') return body.bytes.toString();
  return 'text' in body ? body.text : `(${body.kind})`;
}
