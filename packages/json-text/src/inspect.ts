import { isExactNumber } from './numbers.ts';
import { JsonScanner, Token } from './scanner.ts';

/** What readers of a JSON text would disagree on or change. */
export interface JsonFindings {
  /** The first member that its object holds already; names are compared behind their escapes. */
  repeatedMember?: { readonly name: string; readonly position: number };
  /** Whether there is a `__proto__` key, or a `constructor` that holds a `prototype`. */
  prototypeKey: boolean;
  /** Where the first numbers stand that `JSON.parse` would change, at most 20. */
  readonly inexactNumbers: number[];
  /** The first number that no double holds, such as `1e400`, as it is written. */
  infiniteNumber?: { readonly text: string; readonly position: number };
  /** Where the values of an outermost object's members begin and end, by name. */
  readonly members: ReadonlyMap<string, readonly [start: number, end: number]>;
}

/** Reads a whole JSON text, without making values of it. Throws a `JsonFault`, as a `JsonScanner` does. */
export function inspectJson(text: string, maxDepth?: number): JsonFindings {
  const scanner = new JsonScanner(text, maxDepth);
  const spans = new MemberSpans();
  const findings: JsonFindings = { prototypeKey: false, inexactNumbers: [], members: spans.members };
  const names = new OpenNames();
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.Key) {
      const name = noteName(scanner, names, findings);
      if (scanner.depth === 1) spans.name = name;
      continue;
    }
    if (token === Token.BeginObject) names.open(scanner.depth);
    else if (token === Token.Number) noteNumber(scanner, findings);
    if (scanner.depth <= 2) spans.note(token, scanner);
  }
  return findings;
}

/** Follows the values of an outermost object's members. */
class MemberSpans {
  readonly members = new Map<string, readonly [start: number, end: number]>();
  /** The member whose value comes next or is being read. */
  name: string | undefined;
  #begin = 0;

  /** Takes each token but names. */
  note(token: Token, { depth, start, end }: JsonScanner): void {
    const begins = token === Token.BeginObject || token === Token.BeginArray;
    const ends = token === Token.EndObject || token === Token.EndArray;
    if (begins ? depth === 2 : !ends && depth === 1) this.#begin = start;
    if (!begins && depth === 1 && this.name !== undefined) this.members.set(this.name, [this.#begin, end]);
  }
}

function noteName({ text, start, end, depth }: JsonScanner, names: OpenNames, findings: JsonFindings): string {
  const written = text.slice(start + 1, end - 1);
  const name: string = written.includes('\\') ? JSON.parse(`"${written}"`) : written;
  if (names.reachesPrototype(depth, name)) findings.prototypeKey = true;
  if (!names.add(depth, name)) findings.repeatedMember ??= { name, position: start };
  return name;
}

const MAX_INEXACT = 20;

function noteNumber({ text, start, end }: JsonScanner, findings: JsonFindings): void {
  const written = text.slice(start, end);
  const { inexactNumbers } = findings;
  if (inexactNumbers.length < MAX_INEXACT && !isExactNumber(written)) inexactNumbers.push(start);
  if (end - start > FEWEST_INFINITE && !Number.isFinite(Number(written))) {
    findings.infiniteNumber ??= { text: written, position: start };
  }
}

/** `1e309` is the shortest number that no double holds. */
const FEWEST_INFINITE = 4;

/** Objects of up to so many members are searched one by one, which is faster than a set. */
const FEW = 8;

/** The names in the objects around the current position, by depth. */
class OpenNames {
  readonly #latest: string[] = [];
  readonly #few: string[][] = [];
  readonly #many: (Set<string> | undefined)[] = [];

  open(depth: number): void {
    const few = this.#few[depth];
    if (few === undefined) this.#few[depth] = [];
    else few.length = 0;
    this.#many[depth] = undefined;
    this.#latest[depth] = '';
  }

  /** Whether the name is new in its object. */
  add(depth: number, name: string): boolean {
    this.#latest[depth] = name;
    const few = this.#few[depth] ?? [];
    const many = this.#many[depth];
    if (many?.has(name) ?? few.includes(name)) return false;
    if (many !== undefined) many.add(name);
    else if (few.push(name) > FEW) this.#many[depth] = new Set(few);
    return true;
  }

  reachesPrototype(depth: number, name: string): boolean {
    if (name === '__proto__') return true;
    return name === 'prototype' && this.#latest[depth - 1] === 'constructor';
  }
}
