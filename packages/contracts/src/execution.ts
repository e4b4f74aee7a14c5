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
} from './schema.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

export const methodName = (description: string) => OneOf(METHODS, description, 'Method');

/** Methods that may be retried (`http-executor.md` section 8). */
export const RETRIED_METHODS: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];

const RESPONSE_TYPES = ['json', 'text', 'base64', 'auto'] as const;
export type ResponseType = (typeof RESPONSE_TYPES)[number];

const eitherCase = (word: string) =>
  word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);

/** Limits of an action; no DNS name is longer than `hostChars`. */
export const ACTION_LIMITS = {
  urlBytes: 8 * 1024,
  hostChars: 253,
  headers: 100,
  headerValueBytes: 8 * 1024,
} as const;

/** Token as in RFC 9110, section 5.6.2. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Visible ASCII, spaces and tabs. */
export const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

const HEADERS = 'Request headers; credentials in them are redacted everywhere.';
const shownHeaders = StringMap(
  Type.String({ pattern: HEADER_VALUE.source, maxLength: ACTION_LIMITS.headerValueBytes }),
  HEADERS,
  {
    title: 'RequestHeaders',
    propertyNames: { pattern: HEADER_NAME.source },
    maxProperties: ACTION_LIMITS.headers,
  },
);

const URL_DESCRIPTION = 'Absolute http or https URL; its host must be on the allowlist.';
const shownUrl = Type.String({
  pattern: `^[Hh][Tt][Tt][Pp][Ss]?://(?:\\[[0-9A-Fa-f:.]+\\]|[^/?#@:\\\\]{1,${ACTION_LIMITS.hostChars}})(?::[0-9]*)?(?:[/?#]|$)`,
  format: 'uri',
  minLength: 1,
  maxLength: ACTION_LIMITS.urlBytes,
  description: URL_DESCRIPTION,
});

export const ActionArguments = StrictTitled('ActionArguments', {
  method: ShownAs(
    methodName('Lower case is also accepted.'),
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
        'Any JSON value if the content type is JSON or absent, sent exactly as written; `null` means no body. An object for a form content type, or a string in UTF-8 for any other type.',
    }),
  ),
  response_schema: Nullish(
    Type.Unsafe<object>({
      title: 'ResponseSchema',
      type: 'object',
      additionalProperties: true,
      description:
        'JSON Schema for the response body: draft 2020-12 with the keywords of OpenAPI, or the draft that `$schema` names.',
    }),
  ),
  response_type: Nullish(
    OneOf(
      RESPONSE_TYPES,
      'How to read the response body: `json` (the default), `text` by its charset, `base64`, or `auto`, which tries JSON, then text, then base64.',
      'ResponseType',
    ),
  ),
});
export type ActionArguments = Static<typeof ActionArguments>;

export const DryRun = StrictTitled('DryRun', {
  outcome: Type.Literal('dry_run'),
  would_send: Type.Boolean({ description: 'Whether an execution would send a request.' }),
  method: methodName('In upper case.'),
  host: Text('Host of the URL, with its port unless it is the default of the scheme.'),
  addresses: Texts('Addresses that the host resolves to now; empty if it does not resolve.'),
  max_attempts: Integer('Maximum number of attempts.'),
  message: Text('A sentence that says whether a request would be sent, and if not, why.'),
});
export type DryRun = Static<typeof DryRun>;

export const ExecuteQuery = Strict({
  dry_run: Type.Optional(Flag('Check the action without connecting.')),
});
