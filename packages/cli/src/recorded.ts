import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { CheckRequest } from '@gatehouse/contracts';
import { validateCheckRequest } from '@gatehouse/policy-engine';
import { CannotUse } from './input.ts';

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
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      if (line.trim() !== '') yield* recordedOf(line.trim());
  } catch (error) {
    throw new CannotUse(`${file}: ${(error as Error).message}`);
  }
}

/** None: another line of a log. */
function recordedOf(line: string): readonly Recorded[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [lost('no JSON')];
  }
  if (typeof value !== 'object' || value === null) return [lost('no object')];
  return 'level' in value && 'msg' in value ? ofLog(value) : [ofRequest(value, undefined)];
}

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
  return lost(`no valid request: ${JSON.stringify(first?.pointer).slice(1, -1)} ${first?.message}`);
}
