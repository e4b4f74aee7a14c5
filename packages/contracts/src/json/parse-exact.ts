import { inspectJson } from './inspect.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Maximum number of members in a document. Parsing more members would block the event loop. */
export const MAX_MEMBERS = 10_000;

/**
 * Parses a JSON document, and refuses a document that two parsers could read differently.
 * @throws {JsonFault} if the document is not JSON or is nested deeper than `maxDepth`
 * @throws {SyntaxError} for invalid UTF-8, repeated members, prototype keys, numbers that a double
 * would round, or too many members
 */
export function parseExact(document: Buffer, maxDepth = Number.POSITIVE_INFINITY): unknown {
  const findings = inspectJson(document, { maxDepth });
  const { repeatedMember, prototypeKey, inexactNumbers, count } = findings;
  const name = repeatedMember?.name.slice(0, 100).toWellFormed();
  if (name !== undefined) throw new SyntaxError(`Remove the duplicate member \`${name}\`.`);

  if (prototypeKey !== undefined)
    throw new SyntaxError('Remove all `__proto__` and `constructor.prototype` keys.');

  if (inexactNumbers.length > 0)
    throw new SyntaxError(
      `Send the number at \`${inexactNumbers[0]}\` with fewer digits or as a string, because a double cannot represent all its digits.`,
    );

  if (count > MAX_MEMBERS)
    throw new SyntaxError(`Send at most ${MAX_MEMBERS} JSON members, counting nested ones.`);

  try {
    return JSON.parse(UTF8.decode(document));
  } catch {
    throw new SyntaxError('Send JSON in UTF-8.');
  }
}
