import { JsonScanner } from './scanner.ts';
import { isExactNumber, JsonToken } from './tokens.ts';

export interface JsonFindings {
  /** First member that appears twice in its object. The names `a` and `\u0061` count as equal. */
  repeatedMember?: { readonly name: string; readonly pointer: string };
  /** Pointer to the first unsafe key: `__proto__`, or `prototype` inside `constructor`. */
  prototypeKey?: string;
  /** Pointers to the first thousand numbers that `JSON.parse` would round. */
  readonly inexactNumbers: string[];
  /** Number of members at any depth, except inside the members listed in `passedOn`. */
  count: number;
  readonly members: OutermostMember[];
}

interface OutermostMember {
  readonly name: string;
  /** Byte offsets of the start and end of the member's value. */
  readonly start: number;
  readonly end: number;
}

interface InspectOptions {
  readonly maxDepth?: number;
  /** Top-level members whose numbers and members are not checked, because they are forwarded. */
  readonly passedOn?: ReadonlySet<string>;
  /** Counts `-0` among the inexact numbers, because canonical JSON (RFC 8785) writes it as `0`. */
  readonly minusZero?: 'inexact';
}

const MAX_INEXACT = 1_000;
/** Once a JSON Pointer has this many characters, its remaining segments are omitted. */
const MAX_CHARS = 300;

/** Finds the places in a JSON text that parsers may read differently. @throws {JsonFault} */
export function inspectJson(
  bytes: Buffer,
  { maxDepth, passedOn = new Set(), minusZero }: InspectOptions = {},
): JsonFindings {
  const scanner = new JsonScanner(bytes, maxDepth);
  const findings: JsonFindings = { inexactNumbers: [], count: 0, members: [] };
  /** Current member name at each depth, or an empty string inside an array. */
  const path: string[] = [];
  /** Top-level member being scanned. `start` is set when the scanner reaches the member's value. */
  let member: { name: string; isPassedOn: boolean; start?: number } | undefined;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    const { depth, start, end } = scanner;
    const isPassedOn = member?.isPassedOn === true;
    if (token === JsonToken.Key) {
      const name = inspectKey(scanner, path, findings, isPassedOn);
      if (depth === 1) member = { name, isPassedOn: passedOn.has(name) };
      continue;
    }

    // Array items have no names, so clear the name that an earlier object left at this depth.
    if (token === JsonToken.BeginArray) path[depth] = '';
    if (token === JsonToken.Number && !isPassedOn) inspectNumber(scanner, findings, minusZero);
    if (member === undefined) continue;

    member.start ??= start;
    if (depth > 1) continue;

    findings.members.push({ name: member.name, start: member.start, end });
    member = undefined;
  }
  return findings;
}

function inspectKey(
  scanner: JsonScanner,
  path: string[],
  findings: JsonFindings,
  isPassedOn: boolean,
): string {
  const { name, depth } = scanner;
  if (!isPassedOn) findings.count += 1;
  path[depth] = name;
  if (name === '__proto__' || (name === 'prototype' && path[depth - 1] === 'constructor'))
    findings.prototypeKey ??= scanner.pointer(MAX_CHARS);
  if (!scanner.addName(name))
    findings.repeatedMember ??= { name, pointer: scanner.pointer(MAX_CHARS) };
  return name;
}

function inspectNumber(
  scanner: JsonScanner,
  { inexactNumbers }: JsonFindings,
  minusZero: InspectOptions['minusZero'],
): void {
  if (inexactNumbers.length === MAX_INEXACT) return;

  const isMinusZero = minusZero !== undefined && Object.is(Number(scanner.written), -0);
  const isInexact = isMinusZero || !(scanner.isShortNumber || isExactNumber(scanner.written));
  if (isInexact) inexactNumbers.push(scanner.pointer(MAX_CHARS));
}
