import { BatchBody, MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import { inspectJson, JsonText, pointersAt } from '@gatehouse/json-text';
import { inexactNumber } from '@gatehouse/service';
import { type Checked, compileCheck } from '@gatehouse/validation';

/** Handlers get this member as it is written, with all its digits. */
export const CHECKS = 'checks';

export interface Batch {
  readonly checks: readonly unknown[];
  /** The numbers of a check that `JSON.parse` changes, by its place. */
  readonly inexact: ReadonlyMap<number, readonly Violation[]>;
}

const checkShape = compileCheck(BatchBody);

/** The checks of a batch, none of them validated yet. */
export function readBatch(body: unknown): Checked<Batch> {
  const { [CHECKS]: written } = Object(body);
  if (!(written instanceof JsonText)) return batchOf(body, '');
  return batchOf({ ...Object(body), [CHECKS]: written.parse() }, written.text);
}

function batchOf(body: unknown, text: string): Checked<Batch> {
  const checked = checkShape(body);
  if (!checked.ok) return checked;
  return { ok: true, value: { checks: checked.value.checks, inexact: inexactIn(text) } };
}

/** Numbers of up to 15 plain digits are exact; a string may look like another one. */
const PERHAPS_INEXACT = /\d[.eE]|\d{16}/;

function inexactIn(text: string): Batch['inexact'] {
  const byCheck = new Map<number, Violation[]>();
  if (!PERHAPS_INEXACT.test(text)) return byCheck;
  const bytes = Buffer.from(text);
  for (const pointer of pointersAt(bytes, inspectJson(bytes).inexactNumbers)) {
    const [, place = ''] = pointer.split('/');
    const violations = byCheck.get(Number(place)) ?? [];
    byCheck.set(Number(place), violations);
    if (violations.length < MAX_VIOLATIONS)
      violations.push(inexactNumber(pointer.slice(place.length + 1)));
  }
  return byCheck;
}
