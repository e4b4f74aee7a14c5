import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import {
  inspectJson,
  JsonFault,
  type JsonFindings,
  type OutermostMember,
} from '@gatehouse/json-text';
import { invalid, ProblemError } from '../problems/problem-error.ts';

/** Shown in problems; another name may be a credential in the wrong place. */
const PLAIN_NAME = /^[a-z_]{1,32}$/;

const MAX_POINTER_CHARS = 300;

/** Far deeper than any body that a schema takes. */
const MAX_DEPTH = 10_000;

/** Far more than any request has; objects of more would hold up other callers. */
const MAX_MEMBERS = 10_000;

/** @throws ProblemError that says where a document is no JSON, or nests too deep. */
export function inspect(document: Buffer, passedOn: ReadonlySet<string>): JsonFindings {
  try {
    return inspectJson(document, { maxDepth: MAX_DEPTH, passedOn });
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { position, reason } = error;
    if (reason === 'depth')
      throw malformed(`Send a document that nests at most ${MAX_DEPTH} levels deep.`);
    const found = foundAt(document, position);
    throw malformed(
      `Send one JSON document; the body is not valid at ${placeOf(document, position)}: ${found}.`,
    );
  }
}

/** @throws ProblemError about what a document may not hold. */
export function refuse(
  document: Buffer,
  { prototypeKey, repeatedMember, inexactNumbers, count }: JsonFindings,
  passedOn: ReadonlySet<string>,
  unread: readonly OutermostMember[],
): void {
  if (prototypeKey)
    throw malformed('Send a document without `__proto__` or `constructor.prototype` keys.');
  if (repeatedMember !== undefined) throw repeated(document, repeatedMember);
  if (inexactNumbers.length > 0) throw inexact(inexactNumbers);
  if (unread.reduce((rest, member) => rest - member.count, count) > MAX_MEMBERS)
    throw tooManyMembers(passedOn);
}

type Repeated = NonNullable<JsonFindings['repeatedMember']>;

/** Points to the member, or to its object if the name must not be shown. */
function repeated(document: Buffer, { name, position, pointer }: Repeated): ProblemError {
  const isShown = PLAIN_NAME.test(name);
  const shown = isShown ? `\`${name}\`` : `the one at ${placeOf(document, position)}`;
  const shownPointer = isShown ? pointer : pointer.slice(0, pointer.lastIndexOf('/'));
  return malformed(`Send each member of an object once; ${shown} is there twice.`, [
    { pointer: shownPointer, message: 'must be there only once' },
  ]);
}

function placeOf(document: Buffer, position: number): string {
  const before = document.toString('utf8', 0, position);
  const lines = before.split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** The longest character in UTF-8. */
const MAX_CHAR_BYTES = 4;

function foundAt(document: Buffer, position: number): string {
  const [char] = document.toString('utf8', position, position + MAX_CHAR_BYTES);
  if (char === undefined) return 'it ends there, before it is complete';
  if (/^[!-~]$/.test(char)) return `unexpected \`${char}\``;
  const code = char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `unexpected character U+${code}`;
}

function inexact(pointers: readonly string[]): ProblemError {
  return invalid('InvalidRequest', pointers.slice(0, MAX_VIOLATIONS).map(inexactNumber));
}

/** By these names the contract calls its amounts, which no string may hold. */
const AMOUNT = /_minor_units$/;

/** What is wrong with a number that `JSON.parse` would change (contract, section 1). */
function inexactNumber(pointer: string): Violation {
  const message = AMOUNT.test(pointer)
    ? `must be an integer of minor units, at most ${Number.MAX_SAFE_INTEGER}: 8750 is EUR 87.50`
    : 'must be a number that a double holds with all its digits; send one of more digits as a string';
  return { pointer: pointer.slice(0, MAX_POINTER_CHARS).toWellFormed(), message };
}

function tooManyMembers(passedOn: ReadonlySet<string>): ProblemError {
  const uncounted = [...passedOn].map((name) => `\`${name}\``).join(' and ');
  const where = uncounted === '' ? 'in all' : `in all, apart from those in ${uncounted}`;
  const message = `must have at most ${MAX_MEMBERS} members ${where}`;
  return invalid('InvalidRequest', [{ pointer: '', message }]);
}

export function malformed(detail: string, violations?: readonly Violation[]): ProblemError {
  return new ProblemError('MalformedJson', detail, violations);
}
