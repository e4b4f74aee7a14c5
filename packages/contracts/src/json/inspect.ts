import { isExactNumber } from './numbers.ts';
import { JsonScanner } from './scanner.ts';
import { JsonToken } from './tokens.ts';

export interface JsonFindings {
  /** First member that appears twice in its object. The names `a` and `\u0061` count as equal. */
  repeatedMember?: { readonly name: string; readonly pointer: string };
  /** Pointer to the first unsafe key: `__proto__`, or `prototype` inside `constructor`. */
  prototypeKey?: string;
  /** Pointers to the first thousand numbers that `JSON.parse` would round. */
  readonly inexactNumbers: string[];
  /** Number of members at any depth, except inside the values that are passed on. */
  count: number;
  /** Number of values at any depth, the document included, except those that are passed on. */
  values: number;
  readonly passedOn: PassedOn[];
}

/** A value whose text is kept. */
export interface PassedOn {
  readonly pointer: string;
  /** Byte offsets of the start and end of the value. */
  readonly start: number;
  readonly end: number;
}

interface InspectOptions {
  readonly maxDepth?: number;
  /** Stops once there are more members or values than this. */
  readonly maxMembers?: number;
  readonly maxValues?: number;
  /**
   * Members whose numbers and members are not checked, because they are forwarded. Their paths have
   * at most three steps, such as `body` or `checks/[]/action`, where `[]` is any item of an array.
   */
  readonly passedOn?: ReadonlySet<string>;
  /** Counts `-0` among the inexact numbers, because canonical JSON (RFC 8785) writes it as `0`. */
  readonly minusZero?: 'inexact';
  /** Counts numbers with an exponent among the inexact numbers, because some readers ignore it. */
  readonly exponent?: 'inexact' | undefined;
}

const MAX_INEXACT = 1_000;
/** Once a JSON Pointer has this many characters, its remaining segments are omitted. */
const MAX_CHARS = 300;

/** Finds the places in a JSON text that parsers may read differently. @throws {JsonFault} */
export function inspectJson(
  bytes: Buffer,
  { maxDepth, passedOn = new Set(), ...options }: InspectOptions = {},
): JsonFindings {
  const scanner = new JsonScanner(bytes, maxDepth);
  const findings: JsonFindings = { inexactNumbers: [], count: 0, values: 0, passedOn: [] };
  /** Current member name at each depth, or `[]` inside an array. */
  const path: string[] = [];
  /** Value that is passed on. `start` is set when the scanner reaches it. */
  let kept: Kept | undefined;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    if (hasTooMany(findings, options)) break;

    const { depth, start, end } = scanner;
    if (token === JsonToken.Key) {
      inspectKey(scanner, path, findings, kept !== undefined);
      kept ??= keptAt(scanner, path, passedOn);
      continue;
    }

    // Array items have no names, so replace the name that an earlier object left at this depth.
    if (token === JsonToken.BeginArray) path[depth] = '[]';
    if (kept === undefined) {
      inspectValue(scanner, token, findings, options);
      continue;
    }

    kept.start ??= start;
    if (depth > kept.depth) continue;

    findings.passedOn.push({ pointer: kept.pointer, start: kept.start, end });
    kept = undefined;
  }
  return findings;
}

const hasTooMany = (
  { count, values }: JsonFindings,
  { maxMembers = Number.POSITIVE_INFINITY, maxValues = Number.POSITIVE_INFINITY }: InspectOptions,
): boolean => count > maxMembers || values > maxValues;

interface Kept {
  readonly pointer: string;
  readonly depth: number;
  start?: number;
}

const MAX_STEPS = 3;

function keptAt(
  scanner: JsonScanner,
  path: readonly string[],
  listed: ReadonlySet<string>,
): Kept | undefined {
  const { depth } = scanner;
  if (depth > MAX_STEPS) return undefined;

  for (const each of listed) {
    const steps = each.split('/');
    // Do not join `path`, because its names can be long, and many members can be below them.
    if (steps.length === depth && steps.every((step, at) => step === path[at + 1]))
      return { pointer: scanner.pointer(), depth };
  }

  return undefined;
}

function inspectKey(
  scanner: JsonScanner,
  path: string[],
  findings: JsonFindings,
  isPassedOn: boolean,
): void {
  const { name, depth } = scanner;
  if (!isPassedOn) findings.count += 1;
  path[depth] = name;
  if (name === '__proto__' || (name === 'prototype' && path[depth - 1] === 'constructor'))
    findings.prototypeKey ??= scanner.pointer(MAX_CHARS);
  if (!scanner.addName(name))
    findings.repeatedMember ??= { name, pointer: scanner.pointer(MAX_CHARS) };
}

function inspectValue(
  scanner: JsonScanner,
  token: JsonToken,
  findings: JsonFindings,
  { minusZero, exponent }: InspectOptions,
): void {
  if (token === JsonToken.EndObject || token === JsonToken.EndArray) return;

  findings.values += 1;
  const { inexactNumbers } = findings;
  if (token !== JsonToken.Number || inexactNumbers.length === MAX_INEXACT) return;

  const { written } = scanner;
  const isInexact =
    (minusZero !== undefined && Object.is(Number(written), -0)) ||
    (exponent !== undefined && /e/i.test(written)) ||
    !isExactNumber(written);
  if (isInexact) inexactNumbers.push(scanner.pointer(MAX_CHARS));
}
