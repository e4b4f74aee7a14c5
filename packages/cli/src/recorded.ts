import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  CHECK_SECTIONS,
  failure,
  METHODS,
  type Method,
  printable,
  type Result,
  type Sections,
  success,
} from '@gatehouse/contracts';
import { readUrl } from '@gatehouse/contracts/action';
import { JsonFault, parseExact, withoutByteOrderMark } from '@gatehouse/contracts/json';
import { type Check, readCheck, type SeenAction } from '@gatehouse/policy';
import { fileError } from './input.ts';

/** Request to replay, or the reason why a request cannot be replayed. */
type Recorded =
  | { readonly request: Check; readonly caller: string | undefined }
  | { readonly unreadable: string };

/**
 * Reads requests from NDJSON or from the policy service's log. The file `-` is standard input.
 * @throws {CannotUse} if the file is unreadable
 */
export async function* readRecorded(file: string): AsyncGenerator<Recorded> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  // Use Latin-1, because in UTF-8 `readline` replaces invalid bytes and splits lines at U+2028.
  input.setEncoding('latin1');
  try {
    for await (const line of createInterface({ input })) {
      const bytes = withoutByteOrderMark(Buffer.from(line.trim(), 'latin1'));
      if (bytes.length > 0) yield* parseRecordedLine(bytes);
    }
  } catch (error) {
    throw fileError('read', file, error);
  }
}

/** Returns the policy requests that a log line records, or an empty list if there are none. */
function parseRecordedLine(line: Buffer): readonly Recorded[] {
  let value: unknown;
  try {
    value = parseExact(line);
  } catch (error) {
    const reason = `invalid request: ${(error as Error).message}`;
    return [{ unreadable: error instanceof JsonFault ? 'not JSON' : printable(reason) }];
  }
  if (!Object.hasOwn(Object(value), 'msg')) return [toRecorded(value, undefined)];

  const { caller, checks, ...single } = value as LogLine;
  const all = Array.isArray(checks) ? [single, ...checks] : [single];
  return all.flatMap((check) => fromLoggedCheck(Object(check), caller));
}

/** Log line about a single check or about a batch. `checks` lists the checks of a batch. */
interface LogLine extends LoggedCheck {
  readonly caller?: string;
  readonly checks?: readonly LoggedCheck[];
}

interface LoggedCheck extends Partial<Record<keyof Sections, unknown>> {
  /** `rules` is absent if the request was invalid, or if the log line is not about a check. */
  readonly rules?: { readonly spend_limit?: { readonly code?: string } };
  readonly action?: { readonly method?: string; readonly host?: string; readonly path?: string };
}

function fromLoggedCheck(logged: LoggedCheck, caller?: string) {
  const { rules, spend, action } = logged;
  if (typeof rules !== 'object' || rules === null) return [];
  const { code = 'section_missing' } = rules.spend_limit ?? {};
  const spendsNothing = spend === undefined && code === 'nothing_spent';
  if (code !== 'section_missing' && spend === undefined && !spendsNothing)
    return [{ unreadable: 'the amount was not logged; set POLICY_LOG_AMOUNTS=true' }];
  const sections = Object.keys(CHECK_SECTIONS) as (keyof Sections)[];
  const request = Object.fromEntries(sections.map((section) => [section, logged[section]]));
  const recorded = toRecorded(request, caller);
  const seen = action == null ? undefined : toAction(action, spendsNothing);
  if (seen === undefined || 'unreadable' in recorded) return [recorded];
  if (!seen.ok) return [{ unreadable: printable(`invalid request: /action ${seen.reason}`) }];
  return [{ ...recorded, request: { ...recorded.request, recorded: seen.value } }];
}

/** Reads an action as the log has it, that is, without its scheme, query, headers and body. */
function toAction(
  { method, host, path }: NonNullable<LoggedCheck['action']>,
  spendsNothing: boolean,
): Result<SeenAction> {
  const target = readUrl(`https://${host}${path}`);
  if (!target.ok) return failure(target.reason.message);
  if (!isMethod(method)) return failure('has an unknown method');
  return success({ method, target: target.value, spendsNothing });
}

const isMethod = (text: unknown): text is Method => METHODS.some((each) => each === text);

function toRecorded(value: unknown, caller: string | undefined): Recorded {
  const checked = readCheck(value);
  if (checked.ok) return { request: checked.value, caller };
  const [first] = checked.violations;
  return { unreadable: printable(`invalid request: ${first?.pointer || 'it'} ${first?.message}`) };
}
