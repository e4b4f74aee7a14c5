import { createReadStream } from 'node:fs';
import type { CheckRequest } from '@gatehouse/contracts';
import { parseExact } from '@gatehouse/json-text';
import { validateCheckRequest } from '@gatehouse/policy-engine';
import { printable } from '@gatehouse/policy-profile';
import { CannotUse, MAX_BYTES } from './input.ts';

/** A request of a file of requests, or why it cannot be replayed. */
export type Recorded =
  | { readonly request: CheckRequest; readonly caller: string | undefined }
  | { readonly lost: string };

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

/** None for a line of a log that records no check. */
function recordedOf(line: string): readonly Recorded[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [{ lost: 'no JSON' }];
  }
  if (typeof value !== 'object' || value === null) return [{ lost: 'no object' }];
  if ('level' in value && 'msg' in value) return ofLog(value);
  try {
    return [ofRequest(parseExact(Buffer.from(line)), undefined)];
  } catch (error) {
    // The service would refuse such a text, although `JSON.parse` does not.
    return [{ lost: printable(`no valid request: ${(error as Error).message}`) }];
  }
}

interface LogLine extends LoggedCheck {
  readonly msg?: unknown;
  readonly caller?: string;
  /** Of a batch. */
  readonly checks?: readonly LoggedCheck[];
}

interface LoggedCheck {
  /** Absent for an invalid request. */
  readonly rules?: { readonly spend_limit?: { readonly code?: string } };
  readonly spend?: unknown;
  readonly pii?: unknown;
  readonly legal?: unknown;
  readonly connector?: unknown;
}

function ofLog(line: LogLine): readonly Recorded[] {
  const checks = line.msg === 'check' ? [line] : line.msg === 'checks' ? line.checks : [];
  if (!Array.isArray(checks)) return [{ lost: 'no list of checks' }];
  return checks.flatMap((check) => ofCheck(Object(check), line.caller));
}

function ofCheck({ rules, spend, pii, legal, connector }: LoggedCheck, caller?: string) {
  if (rules == null) return [];
  const { code = 'section_missing' } = rules.spend_limit ?? {};
  if (code !== 'section_missing' && spend === undefined)
    return [{ lost: 'its amount was not logged (POLICY_LOG_AMOUNTS=true)' }];
  return [ofRequest({ spend, pii, legal, connector }, caller)];
}

function ofRequest(value: unknown, caller: string | undefined): Recorded {
  const checked = validateCheckRequest(value);
  if (checked.ok) return { request: checked.value, caller };
  const [first] = checked.violations;
  return { lost: printable(`no valid request: ${first?.pointer} ${first?.message}`) };
}
