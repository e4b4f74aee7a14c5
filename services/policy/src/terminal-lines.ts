import { DECISIONS } from '@gatehouse/contracts';
import type { LogFields, Shown, TerminalLines, Tone } from '@gatehouse/service';

export const terminalLines: TerminalLines = { check: checkShown, checks: batchShown };

const TONES: Readonly<Record<string, Tone>> = {
  allow: 'green',
  require_approval: 'yellow',
  deny: 'red',
};

/** Shows a decision and the rules that caused it: `deny pii_guardrail`. */
function checkShown(entry: LogFields): Shown {
  const { method: _method, path: _path, status: _status, ...fields } = entry;
  const { decision, rules, profile, digest, ...check } = fields;
  const outcomes = Object.entries<{ outcome: string }>(Object(rules));
  const deciding = outcomes.filter(([, { outcome }]) => outcome === decision);
  const named = decision === 'allow' ? [] : deciding.map(([rule]) => rule);
  const rest = { ...check, profile, digest };
  return { headline: [decision, ...named].join(' '), tone: TONES[String(decision)], rest };
}

/** Shows the results of a batch: `1 deny, 2 allow, 1 InvalidRequest`. */
function batchShown(entry: LogFields): Shown {
  const { method: _method, path: _path, status: _status, checks, ...rest } = entry;
  const entries: { decision?: string; code?: string }[] = [checks].flat().map(Object);
  const results = entries.map(({ decision, code }) => decision ?? code ?? '');
  const names = new Set([...DECISIONS.toReversed(), ...results]);
  const counted = [...names].flatMap((name) => {
    const count = results.filter((each) => each === name).length;
    return count === 0 ? [] : `${count} ${name}`;
  });
  const strictest = DECISIONS.findLast((outcome) => results.includes(outcome));
  return { headline: counted.join(', '), tone: TONES[String(strictest)], rest };
}
