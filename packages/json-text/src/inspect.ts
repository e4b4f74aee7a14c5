import { JsonScanner } from './scanner.ts';
import { isExactNumber, JsonToken } from './tokens.ts';

export interface JsonFindings {
  /** First member that repeats a name in its object. Names are compared after unescaping. */
  repeatedMember?: { readonly name: string; readonly position: number; readonly pointer: string };
  /** True if there is a `__proto__` key, or a `prototype` key directly within `constructor`. */
  prototypeKey: boolean;
  /** Pointers to the first thousand numbers that `JSON.parse` would change. */
  readonly inexactNumbers: string[];
  /** Number of members at any depth. */
  count: number;
  readonly members: OutermostMember[];
}

interface OutermostMember {
  readonly name: string;
  /** Offset of the member's value. */
  readonly start: number;
  readonly end: number;
  /** Number of members within the member's value, at any depth. */
  readonly count: number;
}

interface InspectOptions {
  readonly maxDepth?: number;
  /**
   * Outermost members whose numbers need no check, because the caller passes these members on as
   * text.
   */
  readonly passedOn?: ReadonlySet<string>;
}

const MAX_INEXACT = 1_000;
/** Maximum length of a pointer. Without a limit, a pointer could be as long as the whole text. */
const MAX_CHARS = 300;

/** Scans a JSON text without building its values. @throws {JsonFault} */
export function inspectJson(
  bytes: Buffer,
  { maxDepth, passedOn = new Set() }: InspectOptions = {},
): JsonFindings {
  const scanner = new JsonScanner(bytes, maxDepth);
  const inspection = new Inspection(scanner, passedOn);
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next())
    if (token === JsonToken.Key) inspection.onKey();
    else inspection.onValue(token);
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
  /** Latest member name at each depth; an empty string in arrays. */
  readonly #path: string[] = [];
  /** Outermost member that is being read. `start` is the offset of its value, once known. */
  #member: { readonly name: string; start?: number; readonly countBefore: number } | undefined;

  constructor(scanner: JsonScanner, passedOn: ReadonlySet<string>) {
    this.#scanner = scanner;
    this.#passedOn = passedOn;
  }

  onKey(): void {
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

  onValue(token: JsonToken): void {
    const scanner = this.#scanner;
    const member = this.#member;
    if (token === JsonToken.BeginObject || token === JsonToken.BeginArray)
      this.#path[scanner.depth] = '';
    else if (token === JsonToken.Number && !this.#isPassedOn()) this.#onNumber();
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

  #onNumber(): void {
    const scanner = this.#scanner;
    const { inexactNumbers } = this.findings;
    if (scanner.isShortNumber || isExactNumber(scanner.written)) return;
    if (inexactNumbers.length < MAX_INEXACT) inexactNumbers.push(scanner.pointer(MAX_CHARS));
  }
}
