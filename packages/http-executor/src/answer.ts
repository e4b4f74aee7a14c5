import type { Redirect, ResponseHeaders, Violation } from '@gatehouse/contracts';

/**
 * Body of a response after decoding:
 * - `none`: there is no body to show;
 * - `json`: JSON in UTF-8, exactly as received;
 * - `text`: text, with the bytes and the charset that it was decoded from;
 * - `base64`: bytes that will be shown in base64;
 * - `excerpt`: the beginning of a body that is not of the requested type;
 * - `withheld`: a body that must not be shown. `reason` completes "the response body …".
 */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly document: Buffer }
  | ({ readonly kind: 'text' } & DecodedText)
  | { readonly kind: 'base64'; readonly bytes: Buffer; readonly charset: string }
  | Excerpt
  | { readonly kind: 'withheld'; readonly reason: string };

/** Text, and the bytes as received. `text` is what `bytes` mean in `charset`. */
interface DecodedText {
  readonly bytes: Buffer;
  readonly charset: string;
  readonly text: string;
}

interface Excerpt extends DecodedText {
  readonly kind: 'excerpt';
  /** True if the end is missing, so the last characters may be the beginning of a secret. */
  readonly cut: boolean;
  /** Completes the sentence "the response body is …". */
  readonly reason: string;
}

/** Everything that an upstream can influence in an outcome. */
export interface Answer {
  readonly status?: number;
  /** Header names are in lower case, and values are latin1 strings. */
  readonly headers?: ResponseHeaders;
  readonly body: Body;
  /** Redirects that were followed, in order. */
  readonly redirects: readonly Redirect[];
  /** Sentences for the outcome's `message`, which may quote the URL's host. */
  readonly messages: readonly string[];
  /** Places where the body does not match `response_schema`. */
  readonly violations: readonly Violation[];
  /** Number of secrets replaced so far. */
  readonly redactions: number;
}
