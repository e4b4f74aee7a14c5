import { createReadStream } from 'node:fs';
import type { CheckRequest } from '@gatehouse/contracts';
import { inspectJson, type JsonFindings, pointerAt, pointersAt } from '@gatehouse/json-text';
import { validateCheckRequest } from '@gatehouse/policy-engine';
import { printable } from '@gatehouse/policy-profile';
import { CannotUse, MAX_BYTES } from './input.ts';

/** A request of a file of requests. */
export type Recorded =
  | {
      readonly kind: 'request';
      readonly request: CheckRequest;
      readonly caller: string | undefined;
    }
  /** A request that cannot be replayed. */
  | { readonly kind: 'lost'; readonly reason: string };

const lost = (reason: string): Recorded => ({ kind: 'lost', reason });

/**
 * Reads NDJSON of requests, and log lines of the policy service; `-` is standard input.
 * @throws {CannotUse}
 */
export async function* recordedIn(file: string): AsyncGenerator<Recorded> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    // Trimming takes a byte order mark away, too.
    for await (const line of linesOf(input.setEncoding('utf8')))
      if (line.trim() !== '') yield* recordedOf(line.trim());
  } catch (error) {
    throw new CannotUse(`${file}: ${(error as Error).message}`);
  }
}

/** @throws {Error} when a line is too long, before the rest of it is read */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_BYTES) throw new Error(`has a line of more than ${MAX_BYTES} bytes`);
    yield* lines;
  }
  yield rest;
}

/** None: another line of a log. */
function recordedOf(line: string): readonly Recorded[] {
  const bytes = Buffer.from(line);
  let findings: JsonFindings;
  try {
    findings = inspectJson(bytes);
  } catch {
    return [lost('no JSON')];
  }
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null) return [lost('no object')];
  const isLog = 'level' in value && 'msg' in value;
  const reason = whyNotReplayed(bytes, findings, isLog ? SPEND_OF_LOG : ANYWHERE);
  if (reason !== undefined) return [lost(`no valid request: ${reason}`)];
  return isLog ? ofLog(value) : [ofRequest(value, undefined)];
}

const ANYWHERE = /^/;
const SPEND_OF_LOG = /^(\/checks\/\d+)?\/spend\//;

/** Why the service takes no such text, though `JSON.parse` does. */
function whyNotReplayed(
  bytes: Buffer,
  { repeatedMember, prototypeKey, inexactNumbers }: JsonFindings,
  judged: RegExp,
): string | undefined {
  if (prototypeKey) return 'it has a `__proto__` or `constructor.prototype` key';
  if (repeatedMember !== undefined)
    return `${shown(pointerAt(bytes, repeatedMember.position))} is there twice`;
  if (inexactNumbers.length === 0) return undefined;
  const inexact = pointersAt(bytes, inexactNumbers).find((pointer) => judged.test(pointer));
  return inexact && `${shown(inexact)} is a number that no double holds with all its digits`;
}

const shown = (pointer: string | undefined) => printable(pointer ?? '');

interface LogLine extends LoggedCheck {
  readonly msg?: unknown;
  readonly caller?: string;
  /** Of a batch. */
  readonly checks?: readonly LoggedCheck[];
}

interface LoggedCheck {
  /** Not that of an invalid request. */
  readonly rules?: { readonly spend_limit?: { readonly code?: string } };
  readonly spend?: unknown;
  readonly pii?: unknown;
  readonly legal?: unknown;
  readonly connector?: unknown;
}

function ofLog(line: LogLine): readonly Recorded[] {
  const checks = line.msg === 'check' ? [line] : line.msg === 'checks' ? line.checks : [];
  if (!Array.isArray(checks)) return [lost('no list of checks')];
  return checks.flatMap((check) => ofCheck(Object(check), line.caller));
}

function ofCheck({ rules, spend, pii, legal, connector }: LoggedCheck, caller?: string) {
  if (rules == null) return [];
  const judgedSpend =
    rules.spend_limit !== undefined && rules.spend_limit.code !== 'section_missing';
  if (judgedSpend && spend === undefined)
    return [lost('its amount was not logged (POLICY_LOG_AMOUNTS=true)')];
  return [ofRequest({ spend, pii, legal, connector }, caller)];
}

function ofRequest(value: object, caller: string | undefined): Recorded {
  const checked = validateCheckRequest(value);
  if (checked.ok) return { kind: 'request', request: checked.value, caller };
  const [first] = checked.violations;
  return lost(`no valid request: ${shown(first?.pointer)} ${first?.message}`);
}
