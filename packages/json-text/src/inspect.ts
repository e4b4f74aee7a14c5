import { isExactNumber, isPlainNumber } from './numbers.ts';
import { nameAt, OpenNames } from './open-names.ts';
import { JsonScanner, Token } from './scanner.ts';

/** What readers of a JSON text would disagree on or change. */
export interface JsonFindings {
  /**
   * The first member that its object holds already; names are compared behind their
   * escapes.
   */
  repeatedMember?: { readonly name: string; readonly position: number };
  /** Whether there is a `__proto__` key, or a `constructor` that holds a `prototype`. */
  prototypeKey: boolean;
  /** Where the numbers stand that `JSON.parse` would change. */
  readonly inexactNumbers: number[];
  /** How many members all objects have together. */
  count: number;
  /** Those of an outermost object. */
  readonly members: readonly OutermostMember[];
}

/** Where a member of the outermost object stands. */
export interface OutermostMember {
  /** Where its name starts; `nameAt` reads it. */
  readonly nameStart: number;
  /** Where its value is. */
  readonly start: number;
  readonly end: number;
  /** How many members its value holds, at any depth. */
  readonly count: number;
}

/**
 * Reads a whole JSON text in UTF-8, without making values of it. Throws a `JsonFault`, as
 * a `JsonScanner` does.
 */
export function inspectJson(bytes: Buffer, maxDepth?: number): JsonFindings {
  const scanner = new JsonScanner(bytes, maxDepth);
  const outermost = new OutermostMembers();
  const findings: JsonFindings = {
    prototypeKey: false,
    inexactNumbers: [],
    count: 0,
    members: outermost.members,
  };
  const names = new OpenNames(bytes);
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.Key) {
      findings.count += 1;
      noteName(scanner, names, findings);
    } else if (token === Token.BeginObject || token === Token.BeginArray) names.open(scanner.depth);
    else if (token === Token.Number) noteNumber(scanner, findings);
    if (scanner.depth <= 2) outermost.note(token, scanner, findings.count);
  }
  return findings;
}

/** Follows the members of an outermost object. */
class OutermostMembers {
  readonly members: OutermostMember[] = [];
  #name = -1;
  #start = -1;
  #countBefore = 0;

  /** Takes each token at the depths 1 and 2, and how many members there were so far. */
  note(token: Token, { depth, start, end }: JsonScanner, count: number): void {
    if (depth === 1 && token === Token.Key) {
      this.#name = start;
      this.#start = -1;
      this.#countBefore = count;
      return;
    }
    if (this.#name === -1) return;
    if (this.#start === -1) this.#start = start;
    if (depth !== 1) return;
    this.members.push({
      nameStart: this.#name,
      start: this.#start,
      end,
      count: count - this.#countBefore,
    });
    this.#name = -1;
  }
}

function noteName(scanner: JsonScanner, names: OpenNames, findings: JsonFindings): void {
  const { bytes, start } = scanner;
  if (!names.add(scanner))
    findings.repeatedMember ??= { name: nameAt(bytes, start), position: start };
  if (names.reachesPrototype(scanner)) findings.prototypeKey = true;
}

function noteNumber(scanner: JsonScanner, { inexactNumbers }: JsonFindings): void {
  const { bytes, start, end } = scanner;
  if (!isPlainNumber(bytes, start, end) && !isExactNumber(scanner.written))
    inexactNumbers.push(start);
}
