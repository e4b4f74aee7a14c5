import type { LogFields, Shown, TerminalLines } from '@gatehouse/service';

export const terminalLines: TerminalLines = { check: checkShown, checks: batchShown };

/** Summarizes a check by its decision and deciding rules, such as `deny pii_guardrail`. */
function checkShown(entry: LogFields): Shown {
  const { method: _method, path: _path, status: _status, ...fields } = entry;
  const { decision, rules, profile, digest, ...check } = fields;
  const outcomes = Object.entries<{ outcome: string }>(Object(rules));
  const deciding = outcomes.filter(([, { outcome }]) => outcome === decision);
  const named = decision === 'allow' ? [] : deciding.map(([rule]) => rule);
  return { headline: [decision, ...named].join(' '), rest: { ...check, profile, digest } };
}

/** Summarizes a batch, for example as `2 allow, 1 deny, 1 InvalidRequest`. */
function batchShown(entry: LogFields): Shown {
  const { method: _method, path: _path, status: _status, checks, ...rest } = entry;
  const entries: { decision?: string; code?: string }[] = [checks].flat().map(Object);
  const results = Map.groupBy(entries, ({ decision, code }) => decision ?? code);
  const counted = [...results].map(([result, { length }]) => `${length} ${result}`);
  return { headline: counted.join(', '), rest };
}
