import { isUtf8 } from 'node:buffer';
import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import {
  inspectJson,
  isPlainJson,
  JsonFault,
  type JsonFindings,
  JsonText,
  nameAt,
  type OutermostMember,
  pointersAt,
  withoutByteOrderMark,
} from '@gatehouse/json-text';
import type { FastifyBodyParser, FastifyInstance } from 'fastify';
import { brokenOff, invalid, ProblemError } from '../problems/problem.ts';
import { Turns } from './turns.ts';

/** Shown in problems; another name may be a credential in the wrong place. */
const PLAIN_NAME = /^[a-z_]{1,32}$/;

const MAX_POINTER_CHARS = 300;

/** Far deeper than any body that a schema takes. */
const MAX_DEPTH = 10_000;

/** Far more than any request has; objects of more would hold up other callers. */
const MAX_MEMBERS = 10_000;

/** Up to this size, reading and validating takes about a millisecond at most. */
const MAX_INLINE_BYTES = 16 * 1024;

/**
 * Takes JSON in UTF-8 as strictly as contract section 1 says (why: docs/decisions/0019).
 * Outermost members in `passedOn` reach the handler unread, as a `JsonText`, unless they
 * are `null`, `true` or `false`: with any digits and any number of members, or else with
 * anything, for handlers that call `readJson` wherever the text is not exact; these get
 * values, too, where all is plain.
 */
export function parseJsonStrictly(
  app: FastifyInstance,
  passedOn: ReadonlySet<string> = new Set(),
  holding: Holding = 'any numbers',
): void {
  app.removeAllContentTypeParsers();
  const turns = new Turns();
  const read: FastifyBodyParser<Buffer> = ({ raw }, body, done) => {
    const readBody = () => parse(body, passedOn, holding, done);
    if (body.length <= MAX_INLINE_BYTES) return readBody();
    turns.take(() => (raw.socket.destroyed ? done(brokenOff()) : readBody()));
  };
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, read);
}

type Holding = 'any numbers' | 'anything';

type Done = (error: Error | null, value?: unknown) => void;

function parse(body: Buffer, passedOn: ReadonlySet<string>, holding: Holding, done: Done): void {
  let value: unknown;
  let failure: Error | null = null;
  try {
    value = readJson(body, passedOn, holding);
  } catch (error) {
    failure = error as Error;
  }
  done(failure, value);
}

/** As bodies are read. @throws ProblemError that says what is wrong, and where, without values. */
export function readJson(
  bytes: Buffer,
  passedOn: ReadonlySet<string> = new Set(),
  holding: Holding = 'any numbers',
): unknown {
  if (bytes.length === 0) throw malformed('Send a JSON document as the body; it was empty.');
  if (!isUtf8(bytes)) throw malformed('Send the body in UTF-8; some of its bytes are none.');
  const document = withoutByteOrderMark(bytes);
  const isRead = passedOn.size === 0 || holding === 'anything';
  const plain = isRead ? parsePlain(document) : undefined;
  if (plain !== undefined) return plain;
  const findings = inspect(document);
  const { members } = findings;
  const exact = isExact(findings);
  const isUnread = ({ nameStart }: OutermostMember) => passedOn.has(nameAt(document, nameStart));
  const unread = passedOn.size === 0 ? [] : members.filter(isUnread);
  if (!exact) {
    if (holding === 'any numbers') refuse(document, findings, passedOn, unread);
    else refuse(document, inspect(without(unread, document)), passedOn);
  }
  if (unread.length > 0) return parseMembers(document, members, passedOn, exact);
  return JSON.parse(document.toString());
}

/** Most bodies of checks, for a third of what it costs to read with care; otherwise undefined. */
function parsePlain(document: Buffer): unknown {
  if (!isPlainJson(document, MAX_MEMBERS)) return undefined;
  try {
    return JSON.parse(document.toString());
  } catch {
    // To be read with care, which tells what is wrong.
    return undefined;
  }
}

/** Whether `JSON.parse` changes nothing, within bounds. */
const isExact = ({ prototypeKey, repeatedMember, inexactNumbers, count }: JsonFindings) =>
  !prototypeKey &&
  repeatedMember === undefined &&
  inexactNumbers.length === 0 &&
  count <= MAX_MEMBERS;

/** The same, and as long, but for the values of these members. */
function without(members: readonly OutermostMember[], document: Buffer): Buffer {
  const rest = Buffer.from(document);
  for (const { start, end } of members) rest.fill(' ', start, end).write('0', start);
  return rest;
}

/** @throws ProblemError about what a document may not hold, but for numbers of unread members. */
function refuse(
  document: Buffer,
  { prototypeKey, repeatedMember, inexactNumbers, count }: JsonFindings,
  passedOn: ReadonlySet<string>,
  unread: readonly OutermostMember[] = [],
): void {
  if (prototypeKey)
    throw malformed('Send a document without `__proto__` or `constructor.prototype` keys.');
  if (repeatedMember !== undefined) throw repeated(document, repeatedMember);
  if (inexactNumbers.length > 0) refuseInexact(document, inexactNumbers, unread);
  if (unread.reduce((rest, member) => rest - member.count, count) > MAX_MEMBERS)
    throw tooManyMembers(passedOn);
}

type Repeated = NonNullable<JsonFindings['repeatedMember']>;

function repeated(document: Buffer, { name, position }: Repeated): ProblemError {
  const shown = PLAIN_NAME.test(name) ? `\`${name}\`` : `the one ${placeOf(document, position)}`;
  return malformed(`Send each member of an object once; ${shown} is there twice.`);
}

function inspect(document: Buffer): JsonFindings {
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
  exact: boolean,
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const { nameStart, start, end } of members) {
    const name = nameAt(document, nameStart);
    const member = document.toString('utf8', start, end);
    value[name] =
      passedOn.has(name) && !/^[tfn]/.test(member)
        ? new JsonText(member, exact)
        : JSON.parse(member);
  }
  return value;
}

/** @throws ProblemError unless all of these numbers are within the unread members. */
function refuseInexact(
  document: Buffer,
  numbers: readonly number[],
  unread: readonly OutermostMember[],
): void {
  const isUnread = (at: number) => unread.some(({ start, end }) => start <= at && at < end);
  const read = numbers.filter((at) => !isUnread(at)).slice(0, MAX_VIOLATIONS);
  if (read.length === 0) return;
  throw invalid('InvalidRequest', pointersAt(document, read, MAX_POINTER_CHARS).map(inexactNumber));
}

/** What is wrong with a number that `JSON.parse` would change (contract, section 1). */
function inexactNumber(pointer: string): Violation {
  const message =
    'must be a number that a double holds with all its digits; send one of more digits as a string';
  return { pointer: pointer.slice(0, MAX_POINTER_CHARS).toWellFormed(), message };
}

function tooManyMembers(passedOn: ReadonlySet<string>): ProblemError {
  const uncounted = [...passedOn].map((name) => `\`${name}\``).join(' and ');
  const where = uncounted === '' ? 'in all' : `in all, apart from those in ${uncounted}`;
  const message = `must have at most ${MAX_MEMBERS} members ${where}`;
  return invalid('InvalidRequest', [{ pointer: '', message }]);
}

function malformed(detail: string): ProblemError {
  return new ProblemError('MalformedJson', detail);
}
