import { BatchRequest } from '@gatehouse/contracts';
import { JsonScanner, JsonText, Token } from '@gatehouse/json-text';
import { ProblemError, readJson } from '@gatehouse/service';
import { type Checked, compileCheck } from '@gatehouse/validation';

/** Handlers get this member as it is written, unless the whole body is plain. */
export const CHECKS = 'checks';

export interface Batch {
  readonly checks: readonly unknown[];
  /** The checks as they are written, where one may hold what a body may not. */
  readonly written: readonly Buffer[];
}

const checkShape = compileCheck(BatchRequest);

/** The checks of a batch, none of them validated yet. */
export function readBatch(body: unknown): Checked<Batch> {
  const { [CHECKS]: written } = Object(body);
  const isWritten = written instanceof JsonText;
  const checked = checkShape(isWritten ? { ...Object(body), [CHECKS]: written.parse() } : body);
  if (!checked.ok) return checked;
  const items = isWritten && !written.exact ? itemsOf(Buffer.from(written.text)) : NONE;
  return { ok: true, value: { checks: checked.value.checks, written: items } };
}

const NONE: readonly Buffer[] = [];

/** What a check would be refused with as a body of its own. */
export function problemIn(written: Buffer): ProblemError | undefined {
  try {
    readJson(written);
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** The items of a list, as they are written. */
function itemsOf(bytes: Buffer): Buffer[] {
  const scanner = new JsonScanner(bytes);
  const items: Buffer[] = [];
  let opened = 0;
  scanner.next();
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    const { depth, start, end } = scanner;
    const closes = token === Token.EndObject || token === Token.EndArray;
    if (depth === 1) items.push(bytes.subarray(closes ? opened : start, end));
    else if (depth === 2 && (token === Token.BeginObject || token === Token.BeginArray))
      opened = start;
  }
  return items;
}
