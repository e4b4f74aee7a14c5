import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { CheckRequest } from '@gatehouse/contracts';
import { validateCheckRequest } from '@gatehouse/policy-engine';
import { CannotRead } from './input.ts';

/** One line of a file of requests. */
export type Recorded =
  | {
      readonly kind: 'request';
      readonly request: CheckRequest;
      readonly caller: string | undefined;
    }
  /** A request that cannot be replayed. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** Another line of a log. */
  | { readonly kind: 'other' };

const OTHER: Recorded = { kind: 'other' };
const lost = (reason: string): Recorded => ({ kind: 'lost', reason });

/**
 * Reads NDJSON of requests, and log lines of the policy service; `-` is standard input.
 * @throws {CannotRead}
 */
export async function* recordedIn(file: string): AsyncGenerator<Recorded> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      if (line.trim() !== '') yield recordedOf(line);
  } catch (error) {
    throw new CannotRead(`${file}: ${(error as Error).message}`);
  }
}

function recordedOf(line: string): Recorded {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return lost('no JSON');
  }
  if (typeof value !== 'object' || value === null) return lost('no object');
  return 'level' in value && 'msg' in value ? ofLog(value) : ofRequest(value, undefined);
}

interface LogLine {
  readonly msg?: unknown;
  readonly caller?: string;
  readonly rules?: { readonly spend_limit?: { readonly code?: string } };
  readonly spend?: unknown;
  readonly pii?: unknown;
  readonly legal?: unknown;
  readonly connector?: unknown;
}

function ofLog({ msg, caller, rules, spend, pii, legal, connector }: LogLine): Recorded {
  if (msg !== 'check' || rules === undefined) return OTHER;
  const judgedSpend =
    rules.spend_limit !== undefined && rules.spend_limit.code !== 'section_missing';
  if (judgedSpend && spend === undefined)
    return lost('its amount was not logged (POLICY_LOG_AMOUNTS=true)');
  return ofRequest({ spend, pii, legal, connector }, caller);
}

function ofRequest(value: object, caller: string | undefined): Recorded {
  const checked = validateCheckRequest(value);
  if (checked.ok) return { kind: 'request', request: checked.value, caller };
  const [first] = checked.violations;
  return lost(`no valid request: ${first?.pointer} ${first?.message}`);
}
