import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changeOf, profilesOf } from '../src/files/index.ts';
import {
  type Check,
  completeProfile,
  decisionRecord,
  evaluate,
  type Profile,
  RULE_TABLE,
} from '../src/index.ts';
import { readValid } from './support/answers.ts';
import { amount, categories, checkRequest, flags } from './support/arbitraries.ts';
import { STRICTNESS } from './support/decision-table.ts';
import { profile } from './support/profiles.ts';

const host = 'a.test';
const currency = fc.constantFrom('EUR', 'JPY', 'KWD', '/body/currency');
const facts = fc.record(
  {
    spend: fc.oneof(
      fc.constant('none' as const),
      fc.record({ amount_minor_units: fc.constant('/body/amount'), currency }),
      fc.record({ amount_minor_units: amount, currency }),
    ),
    pii: fc.record({ categories }),
    legal: fc.record({ flags }),
  },
  { requiredKeys: [] },
);
const rule = fc.record({
  host: fc.constant(host),
  paths: fc.constantFrom(['/a'], ['/b'], ['/**']),
  outcome: fc.constantFrom('allow', 'require_approval', 'deny'),
  facts,
});
const rules = fc.uniqueArray(rule, { selector: ({ paths }) => paths[0], minLength: 1 });

const body = fc.record(
  { amount: fc.oneof(amount, fc.constant('5')), currency: fc.constantFrom('EUR', 'USD', 'EUX') },
  { requiredKeys: [] },
);
const action = fc.record({
  method: fc.constant('POST'),
  url: fc.constantFrom('/a', '/b', '/c', '/a%2Fb').map((path) => `https://${host}${path}`),
  body,
});

const profileWith = (own: Profile, written: unknown): Profile =>
  completeProfile({ ...own, actions: { rules: written } } as Profile);

const levelsOf = (check: Check, own: Profile) =>
  evaluate(check, own).rules.map(({ rule: name, outcome }) => {
    return [name, STRICTNESS.indexOf(outcome)] as const;
  });

const SECTIONS = { spend_limit: 'spend', pii_guardrail: 'pii', legal_compliance: 'legal' } as const;

/** Checks that a property holds for any check with any action, under any rules on actions. */
const always = (holds: (check: Check, own: Profile, bare: Profile) => void) =>
  fc.assert(
    fc.property(checkRequest, profile, action, rules, (request, own, sent, written) => {
      const withoutFacts = written.map(({ facts: _, ...rest }) => rest);
      const check = { ...request, action: readValid({ action: sent }).action };
      holds(check, profileWith(own, written), profileWith(own, withoutFacts));
    }),
    { numRuns: 500 },
  );

it('facts make no outcome looser than the claims of the caller do', () => {
  always((check, own, bare) => {
    const claimed = new Map(levelsOf(check, bare));
    for (const [name, level] of levelsOf(check, own)) {
      const section = SECTIONS[name as keyof typeof SECTIONS];
      if (section === undefined) expect([name, level]).toEqual([name, claimed.get(name)]);
      else if (check[section] != null) expect(level).toBeGreaterThanOrEqual(claimed.get(name) ?? 9);
    }
  });
});

it('claims make no outcome looser than the facts do, except for the limit of the user', () => {
  always((check, own) => {
    const { spend } = check;
    const claiming = { ...check, spend: spend ? { ...spend, user_limit_minor_units: null } : null };
    const { stated } = evaluate(check, own);
    const silent = new Map(levelsOf({ action: check.action }, own));
    for (const [name, level] of levelsOf(claiming, own)) {
      const section = SECTIONS[name as keyof typeof SECTIONS];
      if (section !== undefined && stated[section] !== undefined)
        expect(level).toBeGreaterThanOrEqual(silent.get(name) ?? 9);
    }
  });
});

it('a recorded check gets the same outcomes again', () => {
  always((check, own) => {
    const evaluation = evaluate(check, own);
    const record = JSON.parse(JSON.stringify(decisionRecord(check, evaluation, true)));
    const { spend, rules: answers } = record;
    const sections = RULE_TABLE.map(({ section }) => [section, record[section]]);
    const spendsNothing = spend === undefined && answers.spend_limit.code === 'nothing_spent';
    const recorded = check.action && { ...check.action, json: undefined, spendsNothing };
    const { json: _, ...seen } = recorded ?? expect.fail('no action');
    const again = evaluate({ ...Object.fromEntries(sections), recorded: seen }, own);
    const outcomesIn = ({ rules: all }: typeof again) =>
      all.map(({ rule: name, outcome }) => [name, outcome]);
    expect(outcomesIn(again)).toEqual(outcomesIn(evaluation));
  });
});

it('a change of the rules that is not reported as looser makes no decision looser', () => {
  let tighter = 0;
  const edits = fc.record({
    drop: fc.nat({ max: 5 }),
    replace: fc.nat({ max: 5 }),
    outcome: fc.constantFrom('require_approval', 'deny'),
    added: fc.option(rule),
  });
  fc.assert(
    fc.property(checkRequest, profile, action, rules, edits, (request, own, sent, old, edit) => {
      const kept = old.flatMap((each, at) => {
        if (at === edit.drop) return [];
        return at === edit.replace ? [{ ...each, outcome: edit.outcome }] : [each];
      });
      const isNew = !kept.some(({ paths }) => paths[0] === edit.added?.paths[0]);
      const now = edit.added !== null && isNew ? [edit.added, ...kept] : kept;
      const [before, after] = [profileWith(own, old), profileWith(own, now)];
      const { kind, looser } = changeOf(profilesOf(before), profilesOf(after));
      if (looser.length > 0) return;

      if (kind === 'tightening') tighter += 1;
      const check = { ...request, action: readValid({ action: sent }).action };
      const level = (by: Profile) => STRICTNESS.indexOf(evaluate(check, by).decision);
      expect(level(after)).toBeGreaterThanOrEqual(level(before));
    }),
    { numRuns: 2_000 },
  );
  expect(tighter).toBeGreaterThan(100);
});
