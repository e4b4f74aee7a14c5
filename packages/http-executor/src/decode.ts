import { isUtf8 } from 'node:buffer';
import {
  failure,
  MAX_JSON_DEPTH,
  type Redirect,
  type ResponseHeaders,
  type ResponseType,
  type Result,
  success,
  type Violation,
} from '@gatehouse/contracts';
import { decodeText } from '@gatehouse/contracts/action';
import { JsonFault, JsonScanner, withoutByteOrderMark } from '@gatehouse/contracts/json';
import type { ReceivedResponse } from './attempt/result.ts';
import type { OutboundRequest } from './guard/guard.ts';
import type { Shape } from './guard/shape.ts';
import { readLinks } from './links.ts';
import { type Part, partOf, wantedShape } from './part/part.ts';
import type { AttemptsReport } from './retry/report.ts';
import { charsetOf } from './text.ts';
import { readToEnd, type Turns } from './turns.ts';
import { isSuccess } from './wire.ts';

/**
 * Body of a response after decoding:
 * - `none`: nothing to show;
 * - `json`: JSON in UTF-8, exactly as received, and the part that the action asks for;
 * - `text`: text, with the bytes and the charset that it was decoded from;
 * - `base64`: bytes that will be shown in base64;
 * - `excerpt`: the beginning of a body that is not of the requested type;
 * - `withheld`: a body that must not be shown. `reason` completes "the response body …".
 */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly document: Buffer; readonly part?: Part }
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
  /** URLs in the `Link` header by relation, if the action asks for them. */
  readonly links: Readonly<Record<string, string>>;
  /** Redirects that were followed, in order. */
  readonly redirects: readonly Redirect[];
  /** Sentences for the outcome's `message`, which may quote the URL's host. */
  readonly messages: readonly string[];
  /** Places where the body does not match `response_schema`. */
  readonly violations: readonly Violation[];
  /** Number of secrets replaced so far. */
  readonly redactions: number;
}

/** Returns a body as JSON in UTF-8, or undefined for an excerpt or a body that is not shown. */
export function decodedJson(body: Body): Buffer | undefined {
  switch (body.kind) {
    case 'json':
      return body.document;

    case 'text':
      return Buffer.from(JSON.stringify(body.text));

    case 'base64':
      // Base64 contains no character that JSON must escape.
      return Buffer.from(`"${body.bytes.toString('base64')}"`, 'latin1');

    case 'none':
    case 'excerpt':
    case 'withheld':
      return undefined;
  }
}

/** Decodes the last response of an execution (docs/contract.md, "response_type"). */
export async function decode(
  { result, lastMessage, maybeDone }: AttemptsReport,
  { url, shape }: Pick<OutboundRequest, 'url' | 'shape'>,
  turns: Turns,
): Promise<Answer> {
  const { outcome, redirects } = result;
  const common = { redirects, links: {}, violations: [], redactions: 0 };
  const last = lastMessage === undefined ? [] : [lastMessage];
  if ('fault' in outcome) {
    const isMisleading = maybeDone && !result.maybeSent;
    const earlier = isMisleading ? ' An earlier attempt may have been carried out.' : '';
    const messages = [`${outcome.fault.message}${earlier}`, ...last];
    return { ...common, body: { kind: 'none' }, messages };
  }

  const { status, headers, notFollowed = '' } = outcome.response;
  using _turn = await turns.take(outcome.response.body.bytes.length);
  const body = await decodeBody(outcome.response, shape);
  const base = redirects.at(-1)?.url ?? url.href;
  const links = shape.links ? readLinks(headers.link, base) : {};
  return { ...common, status, headers, links, body, messages: [notFollowed, ...last] };
}

/** An excerpt is taken from this many bytes of a body, and is shortened later. */
const MAX_EXCERPT_BYTES = 64 * 1024;

async function decodeBody(
  { status, headers, body }: ReceivedResponse,
  shape: Shape,
): Promise<Body> {
  const { bytes, fault } = body;
  const isSkipped = fault !== undefined && fault !== 'event_stream' && isSuccess(status);
  if (isSkipped || (fault !== undefined && bytes.length === 0)) return { kind: 'none' };

  const charset = charsetOf(bytes, [headers['content-type']].flat()[0]);
  let reason = 'cut off';
  // An empty body counts as `null`, whatever the requested type.
  const type = bytes.length === 0 ? 'json' : (shape.responseType ?? 'json');
  for (const read of fault === undefined ? READS[type] : []) {
    const decoded = await read(bytes, charset, wantedShape(shape, isSuccess(status)));
    if (decoded.ok) return decoded.value;

    reason = decoded.reason;
  }
  const part = bytes.subarray(0, MAX_EXCERPT_BYTES);
  const cut = fault !== undefined || part.length < bytes.length;
  const text = decodeText(part, charset, cut) ?? part.toString();
  return { kind: 'excerpt', bytes: part, charset, text, cut, reason };
}

/** Decodes a body, or returns a reason that completes the sentence "the response body is …". */
type Read = (bytes: Buffer, charset: string, shape: Shape) => Result<Body> | Promise<Result<Body>>;

const NULL = Buffer.from('null');
const NOT_JSON = failure('not JSON in UTF-8');

const asJson: Read = async (bytes, _charset, shape) => {
  const document = bytes.length === 0 ? NULL : withoutByteOrderMark(bytes);
  if (!isUtf8(document)) return NOT_JSON;

  try {
    const part = await partOf(document, shape);
    // Taking less than the whole document has checked it.
    if (part.json === document) await readToEnd(new JsonScanner(document, MAX_JSON_DEPTH));
    return success({ kind: 'json', document, part });
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;

    if (error.reason !== 'depth') return NOT_JSON;

    return failure(`nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
};

/** Control characters found only in binary data (MIME Sniffing standard, "binary data byte"). */
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

const asText: Read = (bytes, charset, { responseType }) => {
  const text = decodeText(bytes, charset);
  if (text === undefined) return failure(`not valid text in the charset \`${charset}\``);
  if (responseType === 'auto' && BINARY.test(text)) return failure('binary');
  if (jsonBytes(text) > 2 * bytes.length + FREE_BYTES)
    return failure('text that becomes too large when written as a JSON string');
  return success({ kind: 'text', bytes, charset, text });
};

/**
 * A body written as a JSON string may take at most twice its own size plus this many bytes. The
 * other members of the response share the rest of the 64 KiB that docs/contract.md allows.
 */
const FREE_BYTES = 16 * 1024;

/** Returns the size of a text as a JSON string in UTF-8, without building that string. */
function jsonBytes(text: string): number {
  let bytes = Buffer.byteLength(text) + '""'.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < ADDED_BYTES.length) bytes += ADDED_BYTES[code] as number;
  }
  return bytes;
}

/** Number of bytes that JSON adds to an ASCII character, such as 1 for `"` and 5 for `\0`. */
const ADDED_BYTES = Uint8Array.from(
  { length: 0x80 },
  (_, code) => JSON.stringify(String.fromCharCode(code)).length - '"x"'.length,
);

const asBase64: Read = (bytes, charset) => success({ kind: 'base64', bytes, charset });

/** The decoders to try for each response type, in order. */
const READS: Readonly<Record<ResponseType, readonly Read[]>> = {
  json: [asJson],
  text: [asText],
  base64: [asBase64],
  auto: [asJson, asText, asBase64],
};
