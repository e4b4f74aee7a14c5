import { isUtf8 } from 'node:buffer';
import { MAX_VIOLATION_CHARS, type Violation } from '@gatehouse/contracts';
import {
  inspectJson,
  JsonFault,
  type JsonFindings,
  JsonText,
  withoutByteOrderMark,
} from '@gatehouse/json-text';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid, ProblemReply } from '../problems/problem-reply.ts';

/** Far deeper than any body that a schema takes. */
const MAX_DEPTH = 10_000;

/** Far more than any request has; objects of more would hold up other callers. */
const MAX_MEMBERS = 10_000;

/**
 * Takes JSON in UTF-8 as strictly as contract section 1 says (why: docs/decisions/0019).
 * Outermost members in `passedOn` reach the handler unread, as a `JsonText` with any digits
 * and any number of members, unless they are `null`, `true` or `false`.
 */
export function parseJsonStrictly(
  app: FastifyInstance,
  passedOn: ReadonlySet<string> = new Set(),
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => readJson(body, passedOn),
  );
}

/** @throws ProblemReply that says what is wrong, and where, without values. */
function readJson(bytes: Buffer, passedOn: ReadonlySet<string>): unknown {
  if (bytes.length === 0) throw malformed('Send a JSON document as the body; it was empty.');
  if (!isUtf8(bytes)) throw malformed('Send the body in UTF-8; some of its bytes are not.');
  const document = withoutByteOrderMark(bytes);
  const findings = inspect(document, passedOn);
  refuse(findings);
  const { members } = findings;
  const unread = members.filter(({ name }) => passedOn.has(name));
  if (unread.reduce((rest, { count }) => rest - count, findings.count) > MAX_MEMBERS)
    throw tooManyMembers(passedOn);
  if (unread.length === 0) return JSON.parse(document.toString());
  const entries = members.map(({ name, start, end }) => {
    const text = document.toString('utf8', start, end);
    const isPassedOn = passedOn.has(name) && !/^[tfn]/.test(text);
    return [name, isPassedOn ? new JsonText(text) : JSON.parse(text)];
  });
  return Object.fromEntries(entries);
}

/** @throws ProblemReply that says where a document is not JSON, or nests too deep. */
function inspect(document: Buffer, passedOn: ReadonlySet<string>): JsonFindings {
  try {
    return inspectJson(document, { maxDepth: MAX_DEPTH, passedOn });
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    if (error.reason === 'depth')
      throw malformed(`Send a document that nests at most ${MAX_DEPTH} levels deep.`);
    throw malformed(
      `Send one JSON document; the body is not valid at ${placeOf(document, error.position)}.`,
    );
  }
}

/** @throws ProblemReply about what readers of a document would disagree on, or change. */
function refuse({ prototypeKey, repeatedMember, inexactNumbers }: JsonFindings): void {
  if (prototypeKey)
    throw malformed('Send a document without `__proto__` or `constructor.prototype` keys.');
  if (repeatedMember !== undefined) {
    const pointer = shortened(repeatedMember.pointer);
    throw invalid('MalformedJson', [{ pointer, message: 'must be there only once' }]);
  }
  if (inexactNumbers.length > 0) throw invalid('InvalidRequest', inexactNumbers.map(inexactNumber));
}

function placeOf(document: Buffer, position: number): string {
  const lines = document.toString('utf8', 0, position).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** The contract gives its amounts such names, which no string may hold. */
const AMOUNT = /_minor_units$/;

/** What is wrong with a number that `JSON.parse` would change (contract, section 1). */
function inexactNumber(pointer: string): Violation {
  const message = AMOUNT.test(pointer)
    ? `must be an integer of minor units, at most ${Number.MAX_SAFE_INTEGER}: 8750 is EUR 87.50`
    : 'must be a number that a double holds with all its digits; send one of more digits as a string';
  return { pointer: shortened(pointer), message };
}

const shortened = (pointer: string) => pointer.slice(0, MAX_VIOLATION_CHARS).toWellFormed();

function tooManyMembers(passedOn: ReadonlySet<string>): ProblemReply {
  const uncounted = [...passedOn].map((name) => `\`${name}\``).join(' and ');
  const where = uncounted === '' ? 'in all' : `in all, apart from those in ${uncounted}`;
  const message = `must have at most ${MAX_MEMBERS} members ${where}`;
  return invalid('InvalidRequest', [{ pointer: '', message }]);
}

function malformed(detail: string): ProblemReply {
  return new ProblemReply('MalformedJson', detail);
}
