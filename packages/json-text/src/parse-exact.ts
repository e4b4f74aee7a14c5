import { inspectJson } from './inspect.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The value of a JSON document that every reader takes for the same, and keeps.
 * @throws {SyntaxError} that says what to change, or {JsonFault}: no UTF-8 or no JSON; a member
 * twice, or one that reaches a prototype; a number that a double changes; too many members.
 */
export function parseExact(document: Buffer, maxMembers = 10_000): unknown {
  const { repeatedMember, prototypeKey, inexactNumbers, count } = inspectJson(document);
  if (repeatedMember !== undefined)
    throw new SyntaxError(
      `Send \`${repeatedMember.name.slice(0, 100).toWellFormed()}\` once in its object.`,
    );
  if (prototypeKey) throw new SyntaxError('Send no `__proto__` or `constructor.prototype` keys.');
  const [inexact] = inexactNumbers;
  if (inexact !== undefined)
    throw new SyntaxError(
      `Send the number at \`${inexact}\` as a string: a double does not hold all its digits.`,
    );
  if (count > maxMembers) throw new SyntaxError(`Send at most ${maxMembers} members in all.`);
  return JSON.parse(textOf(document));
}

function textOf(document: Buffer): string {
  try {
    return UTF8.decode(document);
  } catch {
    throw new SyntaxError('Send JSON in UTF-8.');
  }
}
