import { isUtf8 } from 'node:buffer';
import { MAX_VIOLATIONS } from '@gatehouse/contracts';
import {
  inspectJson,
  JsonFault,
  JsonText,
  nameAt,
  type OutermostMember,
  pointersAt,
  withoutByteOrderMark,
} from '@gatehouse/json-text';
import type { FastifyInstance } from 'fastify';
import { brokenOff, invalid, ProblemError } from '../problems/problem.ts';
import { Turns } from './turns.ts';

/** A name that is shown; others may be a credential that was put into the wrong place. */
const PLAIN_NAME = /^[a-z_]{1,32}$/;

const MAX_POINTER_CHARS = 300;

/** Far deeper than any schema or body goes that is taken. */
const MAX_DEPTH = 10_000;

/**
 * Far more than any request has; objects made of so many names would hold up other
 * callers.
 */
const MAX_MEMBERS = 10_000;

/** Up to this size, reading and validating takes about a millisecond at most. */
const MAX_INLINE_BYTES = 16 * 1024;

/**
 * Bodies are JSON in UTF-8 (contract, section 1, "Bodies" and "Numbers") without
 * `__proto__` and `constructor.prototype` keys, and without repeated members: of two with
 * the same name parsers keep one or the other, so that a guardrail could be dropped in
 * silence. Nor may a number have digits that `JSON.parse` would change.
 *
 * Outermost members whose names are in `passedOn` are not read but handed on as a
 * `JsonText`, unless they are `null`, `true` or `false`. In them numbers may have any
 * digits, and there may be any number of members.
 */
export function parseJsonStrictly(
  app: FastifyInstance,
  passedOn: ReadonlySet<string> = new Set(),
): void {
  app.removeAllContentTypeParsers();
  const turns = new Turns();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      const parse = () => {
        const { value, error } = tryParse(body, passedOn);
        done(error ?? null, value);
      };
      if (body.length <= MAX_INLINE_BYTES) parse();
      else turns.take(() => (request.raw.socket.destroyed ? done(brokenOff()) : parse()));
    },
  );
}

function tryParse(body: Buffer, passedOn: ReadonlySet<string>): { value?: unknown; error?: Error } {
  try {
    return { value: parseStrictly(body, passedOn) };
  } catch (error) {
    return { error: error as Error };
  }
}

/** Throws a problem that says what is wrong, and where, without showing values. */
function parseStrictly(bytes: Buffer, passedOn: ReadonlySet<string>): unknown {
  if (bytes.length === 0) throw malformed('Send a JSON document as the body; it was empty.');
  if (!isUtf8(bytes)) throw malformed('Send the body in UTF-8; some of its bytes are none.');
  const document = withoutByteOrderMark(bytes);
  const { prototypeKey, repeatedMember, inexactNumbers, count, members } = inspect(document);
  if (prototypeKey)
    throw malformed('Send a document without `__proto__` or `constructor.prototype` keys.');
  if (repeatedMember !== undefined) {
    const { name, position } = repeatedMember;
    const shown = PLAIN_NAME.test(name) ? `\`${name}\`` : `the one ${placeOf(document, position)}`;
    throw malformed(`Send each member of an object once; ${shown} is there twice.`);
  }
  const unread = members.filter(({ nameStart }) => passedOn.has(nameAt(document, nameStart)));
  const changed = inexactNumbers.filter(
    (at) => !unread.some(({ start, end }) => start <= at && at < end),
  );
  if (changed.length > 0) throw inexact(document, changed);
  if (unread.reduce((rest, member) => rest - member.count, count) > MAX_MEMBERS)
    throw tooManyMembers(passedOn);
  return unread.length === 0
    ? JSON.parse(document.toString())
    : parseMembers(document, members, passedOn);
}

function inspect(document: Buffer): ReturnType<typeof inspectJson> {
  try {
    return inspectJson(document, MAX_DEPTH);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { position, reason } = error;
    if (reason === 'depth')
      throw malformed(`Send a document that nests at most ${MAX_DEPTH} levels deep.`);
    const where = position >= document.length ? 'at its end' : placeOf(document, position);
    throw malformed(`Send one valid JSON document; this one breaks off ${where}.`);
  }
}

function placeOf(document: Buffer, position: number): string {
  const before = document.toString('utf8', 0, position);
  const lines = before.split('\n');
  return `at position ${before.length} (line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1})`;
}

function parseMembers(
  document: Buffer,
  members: readonly OutermostMember[],
  passedOn: ReadonlySet<string>,
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const { nameStart, start, end } of members) {
    const name = nameAt(document, nameStart);
    const member = document.toString('utf8', start, end);
    value[name] =
      passedOn.has(name) && !/^[tfn]/.test(member) ? new JsonText(member) : JSON.parse(member);
  }
  return value;
}

function inexact(document: Buffer, positions: readonly number[]): ProblemError {
  const message =
    'must be a number that a double holds with all its digits; send one of more digits as a string';
  return invalid(
    'InvalidRequest',
    pointersAt(document, positions.slice(0, MAX_VIOLATIONS)).map((pointer) => ({
      pointer: pointer.slice(0, MAX_POINTER_CHARS),
      message,
    })),
  );
}

function tooManyMembers(passedOn: ReadonlySet<string>): ProblemError {
  const uncounted = [...passedOn].map((name) => `\`${name}\``).join(' and ');
  const where = uncounted === '' ? 'in all' : `in all, apart from those in ${uncounted}`;
  return invalid('InvalidRequest', [
    { pointer: '', message: `must have at most ${MAX_MEMBERS} members ${where}` },
  ]);
}

function malformed(detail: string): ProblemError {
  return new ProblemError('MalformedJson', detail);
}
