import { type Static, Type } from '@sinclair/typebox';
import {
  Flag,
  Integer,
  Nullish,
  OneOf,
  ShownAs,
  Strict,
  StrictTitled,
  StringMap,
  Text,
  Texts,
} from '../schema.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

export const methodName = (description: string) => OneOf(METHODS, description, 'Method');

/** Methods whose requests are retried (`http-executor.md` section 8). */
export const RETRIED_METHODS: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];

const RESPONSE_TYPES = ['json', 'text', 'base64', 'auto'] as const;
export type ResponseType = (typeof RESPONSE_TYPES)[number];

const eitherCase = (word: string) =>
  word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);

export const ACTION_LIMITS = {
  urlBytes: 8 * 1024,
  hostChars: 253,
  headers: 100,
  headerValueBytes: 8 * 1024,
  /** Default limit on a request body of the executor. */
  requestBytes: 1024 * 1024,
} as const;

/** Maximum nesting depth of JSON. Deeper JSON could overflow a recursive parser's stack. */
export const MAX_JSON_DEPTH = 256;

/** A header name is a token (RFC 9110, section 5.6.2). */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

const HEADERS =
  'Request headers. Credentials in request headers are sent, but redacted in responses and logs.';
const shownHeaders = StringMap(
  Type.String({ pattern: HEADER_VALUE.source, maxLength: ACTION_LIMITS.headerValueBytes }),
  HEADERS,
  {
    title: 'RequestHeaders',
    propertyNames: { pattern: HEADER_NAME.source },
    maxProperties: ACTION_LIMITS.headers,
  },
);

const URL_DESCRIPTION = 'Absolute http or https URL with a host on the allowlist.';
const shownUrl = Type.String({
  pattern: `^[Hh][Tt][Tt][Pp][Ss]?://(?:\\[[0-9A-Fa-f:.]+\\]|[^/?#@:\\\\]{1,${ACTION_LIMITS.hostChars}})(?::[0-9]*)?(?:[/?#]|$)`,
  format: 'uri',
  minLength: 1,
  maxLength: ACTION_LIMITS.urlBytes,
  description: URL_DESCRIPTION,
});

export const ActionArguments = StrictTitled('ActionArguments', {
  method: ShownAs(
    methodName('HTTP method, in upper case.'),
    Type.String({
      pattern: `^(?:${METHODS.map(eitherCase).join('|')})$`,
      'x-violation': `must be one of ${METHODS.join(', ')}`,
    }),
  ),
  url: ShownAs(shownUrl, Text(URL_DESCRIPTION)),
  headers: Nullish(ShownAs(shownHeaders, StringMap(Type.String(), HEADERS))),
  body: Type.Optional(
    Type.Unknown({
      description:
        'Request body. If the content type is JSON or missing, the body is any JSON value (not a string that contains JSON), and is sent exactly as written. With a form content type, the body must be an object or a string. With `multipart/form-data`, the body is an object whose members are strings, numbers, booleans, files such as `{ "filename": "a.png", "content_type": "image/png", "base64": "…" }` (or `text` instead of `base64`), or lists of those. With any other content type, the body is a string that is sent in UTF-8, or bytes if `body_type` is `base64`. `null` means no body.',
    }),
  ),
  body_type: Nullish(
    OneOf(
      ['base64'],
      'Set this to `base64` if `body` is a string of bytes in standard base64, which are sent as they are.',
      'RequestBodyType',
    ),
  ),
  query: Nullish(
    Type.Unsafe<Record<string, unknown>>({
      title: 'Query',
      type: 'object',
      additionalProperties: true,
      description:
        'Query parameters, which are encoded and appended to `url`: strings, numbers, booleans, or lists of those, which repeat the name.',
    }),
  ),
  timeout_ms: Nullish(
    Type.Integer({
      minimum: 1,
      description:
        "Shortens the executor's limit on the total time, which covers the wait for a slot and all attempts.",
    }),
  ),
  response_schema: Nullish(
    Type.Unsafe<object>({
      title: 'ResponseSchema',
      type: 'object',
      additionalProperties: true,
      description:
        'JSON Schema that the response body must match. By default, the schema uses draft 2020-12 with the OpenAPI keywords; `$schema` can name another draft.',
    }),
  ),
  response_type: Nullish(
    OneOf(
      RESPONSE_TYPES,
      "How to read the response body. `json` is the default, `text` uses the response's charset, and `auto` tries JSON, then text, then base64.",
      'ResponseType',
    ),
  ),
  fields: Nullish(
    Type.String({
      description:
        'Members of a JSON body to return, such as `items(id,owner/login),next`, to leave out all others. In a list, the names apply to each item, and `*` means any member.',
    }),
  ),
  max_bytes: Nullish(
    Type.Integer({
      minimum: 64,
      description:
        "Maximum size of the answer's `body` in bytes. A longer body loses the ends of its long strings, lists and objects, and `omitted` says where.",
    }),
  ),
  links: Nullish(
    Type.Boolean({
      description:
        "`true` adds `links`, the absolute URLs in the response's `Link` header by relation, such as `next`.",
    }),
  ),
});
export type ActionArguments = Static<typeof ActionArguments>;

export const DryRun = StrictTitled('DryRun', {
  outcome: Type.Literal('dry_run'),
  would_send: Type.Boolean({ description: 'Whether an execution would send a request.' }),
  method: methodName('Method of the request, in upper case.'),
  host: Text('Host of the URL, and the port unless it is 80 for http or 443 for https.'),
  addresses: Texts('Current addresses of the host, or an empty list if the host does not resolve.'),
  max_attempts: Integer('Maximum number of attempts.'),
  destination: Type.Optional(
    StrictTitled('DryRunDestination', {
      index: Integer('Index of the destination in the destinations file, starting at 0.'),
      host: Text('Host of the destination, as written in the destinations file.'),
      credential: Type.Optional(Text('Name of the credential that would be added.')),
    }),
  ),
  message: Text('Says whether the request would be sent and, if not, why.'),
});
export type DryRun = Static<typeof DryRun>;

export const ExecuteQuery = Strict({
  dry_run: Type.Optional(Flag('Whether to check the action without sending it.')),
});
