import { createReadStream } from 'node:fs';
import { printable } from '@gatehouse/config-file';
import type { CheckRequest } from '@gatehouse/contracts';
import { parseExact } from '@gatehouse/json-text';
import { validateCheckRequest } from '@gatehouse/policy-engine';
import { CannotUse, MAX_BYTES } from './input.ts';

/** Request to replay, or the reason why it cannot be replayed. */
type Recorded =
  | { readonly request: CheckRequest; readonly caller: string | undefined }
  | { readonly unreadable: string };

/**
 * Reads requests as NDJSON, or log lines of the policy service. The file `-` is standard input.
 * @throws {CannotUse}
 */
export async function* readRecorded(file: string): AsyncGenerator<Recorded> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    // `trim` also removes a byte order mark.
    for await (const line of splitLines(input.setEncoding('utf8')))
      if (line.trim() !== '') yield* parseRecordedLine(line.trim());
  } catch (error) {
    throw new CannotUse(`${file}: ${(error as Error).message}`);
  }
}

/** @throws {Error} as soon as a line is too long */
async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_BYTES)
      throw new Error(`has a line longer than the limit of ${MAX_BYTES} bytes`);
    yield* lines;
  }
  yield rest;
}

/** Returns the checks in a line, or an empty list for a log line without a check. */
function parseRecordedLine(line: string): readonly Recorded[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [{ unreadable: 'not JSON' }];
  }
  if (typeof value !== 'object' || value === null) return [{ unreadable: 'not an object' }];
  if ('level' in value && 'msg' in value) return fromLog(value);
  try {
    return [fromRequest(parseExact(Buffer.from(line)), undefined)];
  } catch (error) {
    // The service would refuse this text, even though `JSON.parse` accepts it.
    return [{ unreadable: printable(`invalid request: ${(error as Error).message}`) }];
  }
}

interface LogLine extends LoggedCheck {
  readonly msg?: unknown;
  readonly caller?: string;
  readonly checks?: readonly LoggedCheck[];
}

interface LoggedCheck {
  /** Absent if the request was invalid. */
  readonly rules?: { readonly spend_limit?: { readonly code?: string } };
  readonly spend?: unknown;
  readonly pii?: unknown;
  readonly legal?: unknown;
  readonly connector?: unknown;
}

function fromLog(line: LogLine): readonly Recorded[] {
  const checks = line.msg === 'check' ? [line] : line.msg === 'checks' ? line.checks : [];
  if (!Array.isArray(checks)) return [{ unreadable: '`checks` is not a list' }];
  return checks.flatMap((check) => fromLoggedCheck(Object(check), line.caller));
}

function fromLoggedCheck({ rules, spend, pii, legal, connector }: LoggedCheck, caller?: string) {
  if (rules == null) return [];
  const { code = 'section_missing' } = rules.spend_limit ?? {};
  if (code !== 'section_missing' && spend === undefined)
    return [{ unreadable: 'its amount was not logged; set POLICY_LOG_AMOUNTS=true' }];
  return [fromRequest({ spend, pii, legal, connector }, caller)];
}

function fromRequest(value: unknown, caller: string | undefined): Recorded {
  const checked = validateCheckRequest(value);
  if (checked.ok) return { request: checked.value, caller };
  const [first] = checked.violations;
  return { unreadable: printable(`invalid request: ${first?.pointer} ${first?.message}`) };
}
