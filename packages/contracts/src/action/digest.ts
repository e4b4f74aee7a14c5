import { sha256 } from '@noble/hashes/sha2.js';
import canonicalize from 'canonicalize';
import { type ActionArguments, MAX_JSON_DEPTH, type Method } from '../executor/execution.ts';
import { inspectJson } from '../json/inspect.ts';
import { JsonText } from '../json/json-text.ts';
import { MAX_MEMBERS } from '../json/parse-exact.ts';
import { JsonFault } from '../json/tokens.ts';
import { failure, type Result, success } from '../result.ts';
import type { Violation } from '../violation.ts';
import { isSentAsFields } from './body.ts';

/** Headers whose values the digest leaves out, so that a check needs no credentials. */
export const UNCOVERED_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'x-api-key',
]);

interface Covered extends Pick<ActionArguments, 'headers' | 'body' | 'body_type'> {
  readonly method: Method;
  /** The URL as it is sent, with the action's `query`. */
  readonly url: URL;
}

/**
 * Returns the SHA-256 of what an action sends, in base64url without padding (docs/contract.md,
 * "Digest"). Refuses a body that JSON parsers could read differently: with a repeated member, `-0`
 * or a number that a double would round. Refuses exponents in a body that is sent as fields.
 */
export function actionDigest(action: Covered): Result<string, Violation[]> {
  const { method, url, headers, body, body_type } = action;
  const entries = Object.entries(headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const type = entries.find(([name]) => name === 'content-type')?.[1];
  const exact = bodyForDigest(body, isSentAsFields(type));
  if (!exact.ok) return exact;

  const covered = entries.map(([name, value]) => [
    name,
    UNCOVERED_HEADERS.has(name) ? null : value,
  ]);
  const document = {
    ...{ method, url: url.href, headers: Object.fromEntries(covered), body: exact.value },
    ...(body_type != null && { body_type }),
  };
  try {
    const text = String(canonicalize(document));
    return success(Buffer.from(sha256(Buffer.from(text))).toString('base64url'));
  } catch {
    return refuse('/body', NOT_CANONICAL);
  }
}

const refuse = (pointer: string, message: string) => failure([{ pointer, message }]);

const NOT_CANONICAL =
  'must not contain an unpaired surrogate, because it then has no canonical form (RFC 8785)';

const INEXACT =
  'must equal its canonical form (RFC 8785); send fewer digits, or `0` instead of `-0`';

// `50000e-2` and `500` have the same digest, but an upstream that reads only digits gets 50000.
const INEXACT_FIELD =
  'is sent as text, so write it without an exponent, with fewer digits, or as `0` instead of `-0`';

/** Maximum number of values. Writing more in canonical form would block the event loop. */
const MAX_VALUES = 100_000;

const TOO_MANY = `must have at most ${MAX_MEMBERS} members and ${MAX_VALUES} values in a check, or with an idempotency key or a decision token; send it in parts`;

/** Returns a violation if a body, which is valid JSON, has too many values for a digest. */
export function tooManyValues(body: Buffer): Violation | undefined {
  // A value takes at least a byte and a comma.
  if (body.length < 2 * MAX_VALUES) return undefined;
  const { values } = inspectJson(body, { maxValues: MAX_VALUES });
  return values > MAX_VALUES ? { pointer: '/body', message: TOO_MANY } : undefined;
}

/**
 * Parses the body. Refuses numbers that its canonical form (RFC 8785) would change, in a body that
 * is sent as fields also exponents, repeated members, too many members or values, and too many
 * levels.
 */
function bodyForDigest(body: unknown, isFields: boolean): Result<unknown, Violation[]> {
  if (body == null) return success(null);

  const json = JsonText.of(body);
  try {
    const findings = inspectJson(Buffer.from(json.text), {
      ...{ maxDepth: MAX_JSON_DEPTH, minusZero: 'inexact' },
      ...{ maxMembers: MAX_MEMBERS, maxValues: MAX_VALUES },
      exponent: isFields ? 'inexact' : undefined,
    });
    const { inexactNumbers, repeatedMember, count, values } = findings;
    if (count > MAX_MEMBERS || values > MAX_VALUES) return refuse('/body', TOO_MANY);

    if (repeatedMember !== undefined)
      return refuse(`/body${repeatedMember.pointer}`, 'must appear only once');

    if (inexactNumbers.length === 0) return success(json.parse());

    const message = isFields ? INEXACT_FIELD : INEXACT;
    return failure(inexactNumbers.map((at) => ({ pointer: `/body${at}`, message })));
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return refuse('/body', `must be at most ${MAX_JSON_DEPTH} levels deep`);
  }
}
