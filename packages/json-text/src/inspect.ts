import { isExactNumber } from './numbers.ts';
import { JsonScanner } from './scanner.ts';
import { JsonToken } from './tokens.ts';

/** What readers of a JSON text disagree on, or change. */
export interface JsonFindings {
  /** The first name that an object has twice, compared without escapes. */
  repeatedMember?: { readonly name: string; readonly position: number; readonly pointer: string };
  /** Whether there is a `__proto__` key, or a `constructor` that holds a `prototype`. */
  prototypeKey: boolean;
  /** Pointers to the numbers that `JSON.parse` would change; the first thousand. */
  readonly inexactNumbers: string[];
  /** Members of all objects together. */
  count: number;
  readonly members: OutermostMember[];
}

export interface OutermostMember {
  readonly name: string;
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

const MAX_INEXACT = 1_000;
/** Pointers end here, because they could be as long as the text, for each finding. */
const MAX_CHARS = 300;

/** Reads a whole JSON text in UTF-8 without making values of it. @throws {JsonFault} */
export function inspectJson(
  bytes: Buffer,
  { maxDepth, passedOn = new Set() }: InspectOptions = {},
): JsonFindings {
  const scanner = new JsonScanner(bytes, maxDepth);
  const inspection = new Inspection(scanner, passedOn);
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next())
    if (token === JsonToken.Key) inspection.noteName();
    else inspection.noteValue(token);
  return inspection.findings;
}

class Inspection {
  readonly findings: JsonFindings = {
    prototypeKey: false,
    inexactNumbers: [],
    count: 0,
    members: [],
  };
  readonly #scanner: JsonScanner;
  readonly #passedOn: ReadonlySet<string>;
  /** Latest names by depth; '' in arrays. */
  readonly #path: string[] = [];
  /** The outermost member that is being read; `start` is that of its value, once it is known. */
  #member: { readonly name: string; start?: number; readonly countBefore: number } | undefined;

  constructor(scanner: JsonScanner, passedOn: ReadonlySet<string>) {
    this.#scanner = scanner;
    this.#passedOn = passedOn;
  }

  noteName(): void {
    const { findings } = this;
    const scanner = this.#scanner;
    const { name, depth, start } = scanner;
    findings.count += 1;
    this.#path[depth] = name;
    if (name === '__proto__' || (name === 'prototype' && this.#path[depth - 1] === 'constructor'))
      findings.prototypeKey = true;
    if (!scanner.isNewName(name))
      findings.repeatedMember ??= { name, position: start, pointer: scanner.pointer(MAX_CHARS) };
    if (depth === 1) this.#member = { name, countBefore: findings.count };
  }

  noteValue(token: JsonToken): void {
    const scanner = this.#scanner;
    const member = this.#member;
    if (token === JsonToken.BeginObject || token === JsonToken.BeginArray)
      this.#path[scanner.depth] = '';
    else if (token === JsonToken.Number && !this.#isPassedOn()) this.#noteNumber();
    if (member === undefined) return;
    member.start ??= scanner.start;
    if (scanner.depth > 1) return;
    const { name, start, countBefore } = member;
    const count = this.findings.count - countBefore;
    this.findings.members.push({ name, start, end: scanner.end, count });
    this.#member = undefined;
  }

  #isPassedOn(): boolean {
    return this.#member !== undefined && this.#passedOn.has(this.#member.name);
  }

  #noteNumber(): void {
    const scanner = this.#scanner;
    const { inexactNumbers } = this.findings;
    if (scanner.isShortNumber || isExactNumber(scanner.written)) return;
    if (inexactNumbers.length < MAX_INEXACT) inexactNumbers.push(scanner.pointer(MAX_CHARS));
  }
}
