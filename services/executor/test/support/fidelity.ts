import type { JsonDocument } from './documents.ts';
import {
  BEYOND_DOUBLES,
  LAYOUTS,
  NAMES,
  NULL,
  NUMBERS,
  PROTOTYPES,
  REPEATED,
  SHAPES,
  STRINGS,
  TINY,
} from './documents.ts';
import { bare, bytesOf, firstDifference, shorten } from './json-text.ts';
import { REAL_DOCUMENTS } from './real-documents.ts';

/** What a double and every validator reads alike. */
export const PLAIN: readonly JsonDocument[] = [
  ...NUMBERS,
  ...NAMES,
  ...STRINGS,
  ...LAYOUTS,
  ...SHAPES,
  ...REAL_DOCUMENTS,
];

/** An upstream may answer these, and an action may not hold them. */
const ANSWERS_ALONE: readonly JsonDocument[] = [...REPEATED, ...PROTOTYPES, ...NULL];

/** With a schema, these fail. */
export const DISPUTED: readonly JsonDocument[] = [...REPEATED, ...BEYOND_DOUBLES];

export const ALL_ANSWERS: readonly JsonDocument[] = [
  ...PLAIN,
  ...TINY,
  ...BEYOND_DOUBLES,
  ...ANSWERS_ALONE,
];
export const ALL_REQUESTS: readonly JsonDocument[] = [...PLAIN, ...TINY, ...BEYOND_DOUBLES];
/** Those about which a schema that allows everything has nothing to say. */
export const UNDISPUTED: readonly JsonDocument[] = [...PLAIN, ...PROTOTYPES, ...NULL];

/** Credentials that no document holds. */
export const CREDENTIALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no credential': {},
  'a Bearer token': { authorization: 'Bearer Zq7-pX2vK9mW4tR8yB1nC6dF3gH5jL0s' },
  'many credentials': {
    authorization: `Basic ${btoa('octocat:zebra-crossing-91')}`,
    cookie: 'sid=Kx82hhqPz0; theme=dark; tz=Europe/Berlin',
    'x-api-key': 'zk48Qx-9',
    'x-auth-token': '777666555444',
    'idempotency-key': 'order-1001',
  },
};

const ANY_TYPE = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] };

/** Schemas that everything satisfies. */
export const SCHEMAS: Readonly<Record<string, object | undefined>> = {
  'no schema': undefined,
  'an empty schema': {},
  'a schema of all types': ANY_TYPE,
};

/**
 * `name: what differs` for each document that did not arrive as it was; for
 * `expect(…).toEqual([])`.
 */
export async function strays(
  documents: readonly JsonDocument[],
  arrived: (document: JsonDocument) => Promise<string | undefined>,
): Promise<string[]> {
  const found: string[] = [];
  for (const document of documents) {
    const stray = await arrived(document).catch((error: unknown) => shorten(String(error)));
    if (stray !== undefined) found.push(`${document.name}: ${stray}`);
  }
  return found;
}

/** Token by token; `actual` holds one character for each byte. */
export const tokenStray = (document: JsonDocument, actual: string) =>
  firstDifference(bytesOf(bare(document.text)), actual);

/** Byte by byte, but for blanks around the document. */
export const byteStray = (document: JsonDocument, actual: string) =>
  bytesOf(bare(document.text)) === bare(actual) ? undefined : 'its bytes differ';
