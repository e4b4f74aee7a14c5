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
  const isWritten = written instanceof JsonText;
  const checked = checkShape(isWritten ? { ...Object(body), [CHECKS]: written.parse() } : body);
  if (!checked.ok) return checked;
  const inexact = isWritten && !written.exact ? inexactIn(written.text) : NONE;
  return { ok: true, value: { checks: checked.value.checks, inexact } };
}

const NONE: Batch['inexact'] = new Map();

function inexactIn(text: string): Batch['inexact'] {
  const byCheck = new Map<number, Violation[]>();
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
