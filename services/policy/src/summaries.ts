import type { LogFields, Summaries } from '@gatehouse/service';

export const summaries: Summaries = { check: checkSummary, checks: batchSummary };

/** Returns the decision and the rules that decided, such as `deny pii_guardrail`. */
function checkSummary({ decision, rules }: LogFields): string {
  const outcomes = Object.entries<{ outcome: string }>(Object(rules));
  const deciding = outcomes.filter(([, { outcome }]) => outcome === decision);
  return [decision, ...(decision === 'allow' ? [] : deciding.map(([rule]) => rule))].join(' ');
}

/** Counts the results of a batch, for example as `2 allow, 1 deny, 1 InvalidRequest`. */
function batchSummary({ checks }: LogFields): string {
  const entries: { decision?: string; code?: string }[] = [checks].flat().map(Object);
  const results = Map.groupBy(entries, ({ decision, code }) => decision ?? code);
  return [...results].map(([result, { length }]) => `${length} ${result}`).join(', ');
}
