import { isExactNumber, isPlainNumber } from './numbers.ts';
import { nameAt, OpenNames } from './open-names.ts';
import { JsonScanner, Token } from './scanner.ts';

/** What readers of a JSON text disagree on, or change. */
export interface JsonFindings {
  /** The first one; names are compared without escapes. */
  repeatedMember?: { readonly name: string; readonly position: number };
  /** Whether there is a `__proto__` key, or a `constructor` that holds a `prototype`. */
  prototypeKey: boolean;
  /** Where numbers stand that `JSON.parse` would change. */
  readonly inexactNumbers: number[];
  /** Members of all objects together. */
  count: number;
  readonly members: readonly OutermostMember[];
}

export interface OutermostMember {
  /** `nameAt` reads the name. */
  readonly nameStart: number;
  /** Of its value. */
  readonly start: number;
  readonly end: number;
  /** Members in its value, at any depth. */
  readonly count: number;
}

export interface InspectOptions {
  readonly maxDepth?: number;
  /** Outermost members whose numbers may have any digits. */
  readonly passedOn?: ReadonlySet<string>;
}

/** Reads a whole JSON text in UTF-8 without making values of it. @throws {JsonFault} */
export function inspectJson(
  bytes: Buffer,
  { maxDepth, passedOn = new Set() }: InspectOptions = {},
): JsonFindings {
  let anyDigits = false;
  const scanner = new JsonScanner(bytes, maxDepth);
  const outermost = new OutermostMembers();
  const { members } = outermost;
  const findings: JsonFindings = { prototypeKey: false, inexactNumbers: [], count: 0, members };
  const names = new OpenNames(bytes);
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.Key) {
      findings.count += 1;
      noteName(scanner, names, findings);
      if (scanner.depth === 1) anyDigits = passedOn.has(nameAt(bytes, scanner.start));
    } else if (token === Token.BeginObject || token === Token.BeginArray) names.open(scanner.depth);
    else if (token === Token.Number && !anyDigits) noteNumber(scanner, findings);
    if (scanner.depth <= 2) outermost.note(token, scanner, findings.count);
  }
  return findings;
}

class OutermostMembers {
  readonly members: OutermostMember[] = [];
  #name = -1;
  #start = -1;
  #countBefore = 0;

  /** Takes each token at depth 1 and 2, and the count of members so far. */
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
    const inside = count - this.#countBefore;
    this.members.push({ nameStart: this.#name, start: this.#start, end, count: inside });
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
