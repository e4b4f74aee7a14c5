import { createHash } from 'node:crypto';
import type { CheckRequest, Remedy } from '@gatehouse/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileProfile,
  completeProfile,
  decisionRecord,
  evaluate,
  type Profile,
  toExplanation,
} from '../src/index.ts';
import { checkRequest } from './support/arbitraries.ts';
import { type CheckInput, STRICTNESS, strictest } from './support/decision-table.ts';
import { profile } from './support/profiles.ts';

const RUNS = { numRuns: 1_000 };

const always = (holds: (request: CheckRequest, profile: Profile) => void) =>
  fc.assert(
    fc.property(checkRequest, profile, (request, own) => holds(request as CheckRequest, own)),
    RUNS,
  );

const outcomesOf = (request: CheckRequest, own: Profile) =>
  new Map(evaluate(request, own).rules.map(({ rule, outcome }) => [rule, outcome]));

describe('under any valid profile', () => {
  it('a request that states nothing is never allowed, nor is one without a section', () => {
    always((request, own) => {
      expect(evaluate({}, own).decision).not.toBe('allow');
      for (const section of ['spend', 'pii', 'legal'] as const)
        expect(evaluate({ ...request, [section]: null }, own).decision).not.toBe('allow');
    });
  });

  it('every rule answers, and the strictest outcome decides', () => {
    always((request, own) => {
      const { decision, rules } = evaluate(request, own);
      expect(decision).toBe(strictest(rules.map(({ outcome }) => outcome)));
      const connects = request.connector != null || own.connector.missing !== 'no_entry';
      expect(rules.map(({ rule }) => rule)).toEqual([
        'spend_limit',
        'pii_guardrail',
        'legal_compliance',
        ...(connects ? ['connector_scope'] : []),
      ]);
    });
  });

  it('a greater amount is answered no more loosely, whatever limit the caller names', () => {
    always((request, own) => {
      const { spend } = request;
      if (spend == null || spend.amount_minor_units === 0) return;
      const level = (amount_minor_units: number) =>
        STRICTNESS.indexOf(
          outcomesOf({ spend: { ...spend, amount_minor_units } }, own).get('spend_limit') ?? 'deny',
        );
      const amount = spend.amount_minor_units;
      expect(level(amount - 1)).toBeLessThanOrEqual(level(amount));
      const { ceiling_minor_units } = own.spend.currencies[spend.currency.toUpperCase()] ?? {};
      if (ceiling_minor_units !== undefined) expect(level(ceiling_minor_units + 1)).toBe(2);
    });
  });
});

/** A request after what its remedy says. */
function remedied(request: CheckRequest, remedy: Remedy): CheckInput {
  const { spend, pii, legal } = request;
  const without = <T extends string>(labels: readonly T[], dropped: readonly string[]) =>
    labels.filter((label) => !dropped.includes(label));
  const { max_amount_minor_units: most, drop_categories, drop_flags, use_scopes } = remedy;
  if (spend != null && most !== undefined) return { spend: { ...spend, amount_minor_units: most } };
  if (pii != null && drop_categories !== undefined)
    return { pii: { categories: without(pii.categories, drop_categories) } };
  if (legal != null && drop_flags !== undefined)
    return { legal: { flags: without(legal.flags, drop_flags) } };
  return { connector: { scope: use_scopes?.at(-1) ?? expect.fail('no remedy') } };
}

describe('an explanation', () => {
  it('has a remedy under which the rule allows, wherever the rule has something to judge', () => {
    let applied = 0;
    always((request, own) => {
      const outcomes = outcomesOf(request, own);
      for (const { rule, code, remedy } of toExplanation(evaluate(request, own)).rules) {
        if (outcomes.get(rule) === 'allow') expect(remedy).toBeUndefined();
        else if (remedy !== undefined) {
          applied += 1;
          const after = outcomesOf(remedied(request, remedy) as CheckRequest, own);
          expect([rule, after.get(rule)]).toEqual([rule, 'allow']);
        } else if (rule !== 'connector_scope') expect(code).toBe('section_missing');
      }
    });
    expect(applied).toBeGreaterThan(1_000);
  });

  it('names the greatest amount that is allowed: one more is not', () => {
    always((request, own) => {
      const [{ remedy } = {}] = toExplanation(evaluate(request, own)).rules;
      const most = remedy?.max_amount_minor_units;
      if (request.spend == null || most === undefined) return;
      const spend = { ...request.spend, amount_minor_units: most + 1 };
      expect(outcomesOf({ spend }, own).get('spend_limit')).not.toBe('allow');
    });
  });
});

describe('a record', () => {
  it('gives the same outcomes and codes when its sections are judged again', () => {
    always((request, own) => {
      const record = decisionRecord(request, evaluate(request, own));
      expect(record).toMatchObject({ profile: own.name, digest: compileProfile(own).digest });
      const { rules, pii, legal, connector } = record;
      const { spend } = request;
      const again = JSON.parse(JSON.stringify({ spend, pii, legal, connector }));
      expect(decisionRecord(again, evaluate(again, own)).rules).toEqual(rules);
    });
  });
});

/** RFC 8785 of what a profile holds, written anew: members sorted by their names. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, of]) => `${JSON.stringify(key)}:${canonical(of)}`).join(',')}}`;
}

const reversed = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, of]) => [key, reversed(of)]),
      );

describe('the digest of a profile', () => {
  it('is the SHA-256 of its canonical JSON, in whatever order it is written', () => {
    const property = fc.property(profile, (own) => {
      const expected = createHash('sha256').update(canonical(own)).digest('hex');
      expect(compileProfile(own).digest).toBe(expected);
      expect(compileProfile(reversed(own) as Profile).digest).toBe(expected);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('differs where anything does, the name and the version too', () => {
    const digests = [{}, { version: '2' }, { spend: { limit_major_units: 99 } }].map(
      (parts) => compileProfile(completeProfile({ name: 'own', ...parts })).digest,
    );
    digests.push(compileProfile(completeProfile({ name: 'other' })).digest);
    expect(new Set(digests).size).toBe(4);
  });
});
