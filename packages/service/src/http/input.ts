import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { Violation } from '@gatehouse/contracts';
import {
  inspectJson,
  JsonFault,
  type JsonFindings,
  MAX_MEMBERS,
  parseMembers,
  withoutByteOrderMark,
} from '@gatehouse/contracts/json';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidReply, ProblemReply, shorten } from '../problems/problem-reply.ts';
import type { BodyCheck } from './validators.ts';

/** Maximum nesting of a body, far deeper than any schema allows. */
const MAX_DEPTH = 10_000;

/** Size of a body that takes about a millisecond to parse. */
const LARGE_BYTES = 64 * 1024;

/** Maximum number of values, nested ones included. Validating more would block the event loop. */
const MAX_VALUES = 25_000;

/** A body of this size can have too many members or values. The shortest item of a list is `0,`. */
const MANY_BYTES = Math.min(MAX_MEMBERS * '"":0,'.length, MAX_VALUES * '0,'.length);

/**
 * Parses JSON bodies strictly (docs/contract.md, "Bodies" and "Numbers"). Leaves the values at the
 * paths in `passedOn` unparsed, except `null`, `true` and `false`. Numbers in an unparsed value
 * keep all digits. Members and values inside an unparsed value do not count towards the maximum.
 */
export function parseJsonStrictly(
  app: FastifyInstance,
  passedOn: ReadonlySet<string> = new Set(),
): void {
  // Parsing dozens of large bodies at once would block the event loop for a second. Parse and
  // handle each large body in turns of its own, so that small requests run in between.
  let lastTurn = Promise.resolve();
  const nextTurn = async ({ length }: Buffer) => {
    if (length <= LARGE_BYTES) return;
    lastTurn = lastTurn.then(() => setImmediate());
    await lastTurn;
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      await nextTurn(body);
      // INVARIANT: every body validator is a `BodyCheck`, although Fastify's types assume Ajv.
      const check = request.getValidationFunction('body') as BodyCheck | undefined;
      const parsed = readJson(body, passedOn, check);
      await nextTurn(body);
      return parsed;
    },
  );
}

/** @throws {ProblemReply} if the body is invalid. The reply shows no values from the body. */
function readJson(bytes: Buffer, passedOn: ReadonlySet<string>, check?: BodyCheck): unknown {
  if (bytes.length === 0) throw malformed('Send a JSON document; the body was empty.');

  if (!isUtf8(bytes)) throw malformed('Send the body in UTF-8; some of its bytes are invalid.');

  const document = withoutByteOrderMark(bytes);
  const isSmall = document.length <= MANY_BYTES;
  const canonical = isSmall ? parseCanonical(document) : undefined;
  if (canonical !== undefined) return canonical;

  const findings = inspectJsonBody(document, passedOn);
  refuseAmbiguousJson(findings);
  const { inexactNumbers, count, values } = findings;
  const code = check?.code ?? 'InvalidRequest';
  if (count > MAX_MEMBERS) throw invalidReply(code, [tooMany(`${MAX_MEMBERS} members`, passedOn)]);
  if (values > MAX_VALUES) throw invalidReply(code, [tooMany(`${MAX_VALUES} values`, passedOn)]);

  const value = parseMembers(document, findings.passedOn);
  if (inexactNumbers.length > 0) {
    const violations = check?.(value).error?.violations;
    throw invalidReply(code, withInexact(inexactNumbers, violations));
  }

  return value;
}

/**
 * Fast path that makes single checks 12 % cheaper, and batches of 100 checks 23 %. Returns the
 * parsed document, or undefined if `JSON.stringify` does not reproduce its text exactly. Any text
 * that it reproduces has no repeated member, and no number that `JSON.parse` rounds.
 */
function parseCanonical(document: Buffer): unknown {
  const text = document.toString();
  // If the text contains `proto`, let `inspectJson` look for `__proto__` and `prototype` keys.
  if (text.includes('proto')) return undefined;
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function inspectJsonBody(document: Buffer, passedOn: ReadonlySet<string>): JsonFindings {
  try {
    return inspectJson(document, {
      ...{ maxDepth: MAX_DEPTH, maxMembers: MAX_MEMBERS, maxValues: MAX_VALUES },
      passedOn,
    });
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    if (error.reason === 'depth')
      throw malformed(`Send a document with at most ${MAX_DEPTH} levels of nesting.`);
    throw malformed(
      `Send one JSON document; the body is invalid at ${placeOf(document, error.position)}.`,
    );
  }
}

/** @throws ProblemReply if two JSON parsers could read a document differently */
function refuseAmbiguousJson({ prototypeKey, repeatedMember }: JsonFindings): void {
  if (prototypeKey !== undefined) {
    const message = 'must be removed: `__proto__` and `constructor.prototype` are not allowed';
    throw invalidReply('MalformedJson', [{ pointer: prototypeKey, message }]);
  }
  if (repeatedMember !== undefined) {
    const { pointer } = repeatedMember;
    throw invalidReply('MalformedJson', [{ pointer, message: 'must appear only once' }]);
  }
}

function placeOf(document: Buffer, position: number): string {
  const lines = document.toString('utf8', 0, position).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Adds a violation for each number that `JSON.parse` would round (docs/contract.md, "Numbers"). */
function withInexact(
  pointers: readonly string[],
  violations: readonly Violation[] = [],
): readonly Violation[] {
  const known = new Set(violations.map(({ pointer }) => pointer));
  const rounded = pointers.filter((pointer) => !known.has(shorten(pointer)));
  const message = 'cannot be represented exactly as a double; send fewer digits';
  return [...violations, ...rounded.map((pointer) => ({ pointer, message }))];
}

function tooMany(limit: string, passedOn: ReadonlySet<string>): Violation {
  const names = new Set([...passedOn].map((path) => path.slice(path.lastIndexOf('/') + 1)));
  const uncounted = [...names].map((name) => `\`${name}\``).join(' and ');
  const where = uncounted === '' ? 'in total' : `in total, not counting those inside ${uncounted}`;
  return { pointer: '', message: `must have at most ${limit} ${where}` };
}

const malformed = (detail: string) => new ProblemReply('MalformedJson', detail);
