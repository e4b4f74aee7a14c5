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

/** A method as answers show it. */
export const methodOf = (description: string) => OneOf(METHODS, description, 'Method');

/** Methods that may be sent again (spec `http-executor.md` section 8). */
export const RETRIED_METHODS: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];

/** How a response body may be asked for; `auto` is the first of the others that fits. */
export const RESPONSE_TYPES = ['json', 'text', 'base64', 'auto'] as const;
export type ResponseType = (typeof RESPONSE_TYPES)[number];

const eitherCase = (word: string) =>
  word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);

/** What the guard takes at most; the longest host is the longest name that DNS has. */
export const ACTION_LIMITS = {
  urlBytes: 8 * 1024,
  hostChars: 253,
  headers: 100,
  headerValueBytes: 8 * 1024,
} as const;

/** A token (RFC 9110, section 5.6.2). */
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

/** What to send (spec `http-executor.md` section 2). */
export const ActionArguments = StrictTitled('ActionArguments', {
  method: ShownAs(
    methodOf('Taken in lower case, too.'),
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
        'With a JSON content type, or none: any JSON value, sent as it is written; `null` sends no body. With a form type an object is sent as a form, with any other type a string as text, in UTF-8.',
    }),
  ),
  response_schema: Nullish(
    Type.Unsafe<object>({
      title: 'ResponseSchema',
      type: 'object',
      additionalProperties: true,
      description:
        'JSON Schema for the response body: 2020-12 with the words of OpenAPI, or the draft that `$schema` names.',
    }),
  ),
  response_type: Nullish(
    OneOf(
      RESPONSE_TYPES,
      'How to read the response body: `json` (the default), `text` by its charset, `base64`, or `auto`: JSON where it is JSON, else text where it is text, else base64.',
      'ResponseType',
    ),
  ),
});
export type ActionArguments = Static<typeof ActionArguments>;

/** The answer of `POST /execute?dry_run=true`, which connects nowhere. */
export const DryRun = StrictTitled('DryRun', {
  outcome: Type.Literal('dry_run'),
  would_send: Type.Boolean({ description: 'Whether an execution would send a request.' }),
  method: methodOf('In upper case.'),
  host: Text("With its port, unless that is the scheme's own."),
  addresses: Texts('To which the host resolves now; empty if it does not resolve.'),
  max_attempts: Integer('The most attempts that would be made.'),
  message: Text('The same in a sentence, and if not, why.'),
});
export type DryRun = Static<typeof DryRun>;

export const ExecuteQuery = Strict({
  dry_run: Type.Optional(Flag('Judge the action without connecting.')),
});
