import { inspectJson } from './inspect.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON document, and refuses it if parsers could disagree on its value.
 * @throws {JsonFault} if the document is not JSON
 * @throws {SyntaxError} if it is not UTF-8, or has repeated members, prototype keys, numbers that a
 * double would change, or too many members
 */
export function parseExact(document: Buffer, maxMembers = 10_000): unknown {
  const { repeatedMember, prototypeKey, inexactNumbers, count } = inspectJson(document);
  if (repeatedMember !== undefined)
    throw new SyntaxError(
      `Send \`${repeatedMember.name.slice(0, 100).toWellFormed()}\` only once per object.`,
    );
  if (prototypeKey)
    throw new SyntaxError('Remove all `__proto__` and `constructor.prototype` keys.');
  const [inexact] = inexactNumbers;
  if (inexact !== undefined)
    throw new SyntaxError(
      `Send the number at \`${inexact}\` as a string, because a double cannot represent all its digits.`,
    );
  if (count > maxMembers) throw new SyntaxError(`Send at most ${maxMembers} members in total.`);
  return JSON.parse(decodeUtf8(document));
}

function decodeUtf8(document: Buffer): string {
  try {
    return UTF8.decode(document);
  } catch {
    throw new SyntaxError('Send JSON in UTF-8.');
  }
}
