import type { Remedy } from '@gatehouse/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Check,
  compileProfile,
  completeProfile,
  decisionRecord,
  defaultProfile,
  evaluate,
  type Profile,
  RULE_TABLE,
  toExplanation,
  toResponse,
} from '../src/index.ts';
import { amount, categories, checkRequest, flags, scope } from './support/arbitraries.ts';
import {
  CATEGORIES,
  type CheckInput,
  expectedAnswer,
  expectedScope,
  FLAGS,
  STRICTNESS,
  strictest,
} from './support/decision-table.ts';
import { profile } from './support/profiles.ts';

/** Checks that a property holds for any request under any valid profile. */
const always = (holds: (request: Check, profile: Profile) => void) =>
  fc.assert(fc.property(checkRequest, profile, holds), { numRuns: 500 });

/**
 * Checks that a property holds for any request together with any value of `other`, under any valid
 * profile.
 */
const alwaysWith = <T>(
  other: fc.Arbitrary<T>,
  holds: (request: Check, profile: Profile, other: T) => void,
) => fc.assert(fc.property(checkRequest, profile, other, holds), { numRuns: 300 });

const outcomesOf = (request: Check, own: Profile) =>
  new Map(evaluate(request, own).rules.map(({ rule, outcome }) => [rule, outcome]));

function expectNoLooser(stricter: CheckInput, than: CheckInput, own: Profile): void {
  const levels = (request: CheckInput) => {
    const { decision, rules } = evaluate(request, own);
    return [decision, ...rules.map(({ outcome }) => outcome)].map((each) =>
      STRICTNESS.indexOf(each),
    );
  };
  const before = levels(than);
  const after = levels(stricter);
  expect(after.length).toBe(before.length);
  for (const [place, level] of after.entries())
    expect(level).toBeGreaterThanOrEqual(before[place] ?? Infinity);
}

describe('a stricter request never gets a looser decision', () => {
  it('when a category is added', () => {
    const added = fc.tuple(categories, fc.constantFrom(...CATEGORIES));
    alwaysWith(added, (request, own, [list, one]) => {
      const more = { ...request, pii: { categories: [...list, one] } };
      expectNoLooser(more, { ...request, pii: { categories: list } }, own);
    });
  });

  it('when a flag is added', () => {
    alwaysWith(fc.tuple(flags, fc.constantFrom(...FLAGS)), (request, own, [list, one]) => {
      const more = { ...request, legal: { flags: [one, ...list] } };
      expectNoLooser(more, { ...request, legal: { flags: list } }, own);
    });
  });

  it('when the amount is raised', () => {
    alwaysWith(fc.tuple(amount, amount), ({ spend }, own, pair) => {
      if (spend == null) return;
      const spending = (minorUnits: number) => ({
        spend: { ...spend, amount_minor_units: minorUnits },
      });
      expectNoLooser(spending(Math.max(...pair)), spending(Math.min(...pair)), own);
    });
  });

  it('when the user limit is lowered', () => {
    alwaysWith(fc.tuple(amount, amount), ({ spend }, own, pair) => {
      if (spend == null) return;
      const limitedTo = (limit: number) => ({ spend: { ...spend, user_limit_minor_units: limit } });
      expectNoLooser(limitedTo(Math.min(...pair)), limitedTo(Math.max(...pair)), own);
    });
  });
});

/** A list and a shuffled copy with some members repeated. */
const reordered = <T>(list: fc.Arbitrary<T[]>) =>
  list.chain((items) => {
    const again = fc.subarray(items).chain((more) => {
      const all = [...items, ...more];
      return fc.shuffledSubarray(all, { minLength: all.length });
    });
    return fc.tuple(fc.constant(items), again);
  });

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

describe('a decision does not depend on', () => {
  it('the order or repetition of categories and flags', () => {
    const lists = fc.tuple(reordered(categories), reordered(flags));
    alwaysWith(lists, (request, own, [pii, legal]) => {
      const [one, other] = ([0, 1] as const).map((version) => {
        const labels = { pii: { categories: pii[version] }, legal: { flags: legal[version] } };
        return toResponse(evaluate({ ...request, ...labels }, own));
      });
      expect(other).toEqual(one);
    });
  });

  it('the request_id', () => {
    const telling = fc.constantFrom('', 'allow', 'deny', 'admin', 'mcp://root', 'null', '0');
    const ids = fc.option(fc.oneof(telling, fc.string({ maxLength: 128 })));
    alwaysWith(ids, ({ request_id: _dropped, ...anonymous }, own, id) => {
      expect(evaluate({ ...anonymous, request_id: id }, own)).toEqual(evaluate(anonymous, own));
    });
  });

  it('earlier evaluations of the same request', () => {
    always((request, own) => {
      const frozen = deepFreeze(structuredClone(request));
      expect(evaluate(frozen, own)).toEqual(evaluate(frozen, own));
      expect(frozen).toEqual(request);
    });
  });
});

describe('under any valid profile', () => {
  it('never allows an empty request or one without a section', () => {
    always((request, own) => {
      expect(evaluate({}, own).decision).not.toBe('allow');
      for (const section of ['spend', 'pii', 'legal'] as const)
        expect(evaluate({ ...request, [section]: null }, own).decision).not.toBe('allow');
    });
  });

  it('evaluates each rule independently, and the strictest outcome decides', () => {
    const rulesAndSections = [
      ['spend_limit', 'spend'],
      ['pii_guardrail', 'pii'],
      ['legal_compliance', 'legal'],
      ['connector_scope', 'connector'],
    ] as const;
    always((request, own) => {
      const { decision, rules } = evaluate(request, own);
      expect(decision).toBe(strictest(rules.map(({ outcome }) => outcome)));
      const listed = rulesAndSections.filter(
        ([, section]) => request[section] != null || own[section].missing !== 'no_entry',
      );
      expect(rules.map(({ rule }) => rule)).toEqual(listed.map(([rule]) => rule));
      for (const [place, [name, section]] of listed.entries()) {
        const alone = evaluate({ [section]: request[section] }, own);
        expect(alone.rules.find(({ rule }) => rule === name)).toEqual(rules[place]);
      }
    });
  });
});

describe('under the default profile', () => {
  it('decides every request as the decision table does', () => {
    const property = fc.property(checkRequest, (request) => {
      expect(toResponse(evaluate(request))).toEqual(expectedAnswer(request));
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('allows a scope only if it is listed', () => {
    const property = fc.property(scope, (text) => {
      expect(evaluate({ connector: { scope: text } }).rules[3]?.outcome).toBe(expectedScope(text));
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

/** Applies a remedy to a request. */
function remedied({ spend, pii, legal }: Check, remedy: Remedy): Check {
  const { max_amount_minor_units: most, drop_categories, drop_flags, use_scopes } = remedy;
  if (spend != null && most !== undefined) return { spend: { ...spend, amount_minor_units: most } };
  if (pii != null && drop_categories !== undefined)
    return {
      pii: { categories: pii.categories.filter((each) => !drop_categories.includes(each)) },
    };
  if (legal != null && drop_flags !== undefined)
    return { legal: { flags: legal.flags.filter((each) => !drop_flags.includes(each)) } };
  return { connector: { scope: use_scopes?.at(-1) ?? expect.fail('no remedy') } };
}

describe('an explanation', () => {
  it('has a remedy after which the rule allows the request, unless its section is empty', () => {
    let applied = 0;
    always((request, own) => {
      const outcomes = outcomesOf(request, own);
      for (const { rule, code, remedy } of toExplanation(evaluate(request, own)).rules) {
        if (outcomes.get(rule) === 'allow') expect(remedy).toBeUndefined();
        else if (remedy !== undefined) {
          applied += 1;
          expect([rule, outcomesOf(remedied(request, remedy), own).get(rule)]).toEqual([
            rule,
            'allow',
          ]);
        } else if (rule !== 'connector_scope') expect(code).toBe('section_missing');
      }
    });
    expect(applied).toBeGreaterThan(500);
  });

  it('gives the greatest allowed amount', () => {
    always((request, own) => {
      const [{ remedy } = {}] = toExplanation(evaluate(request, own)).rules;
      const most = remedy?.max_amount_minor_units;
      if (request.spend == null || most === undefined) return;
      const spend = { ...request.spend, amount_minor_units: most + 1 };
      expect(outcomesOf({ spend }, own).get('spend_limit')).not.toBe('allow');
    });
  });
});

describe('a decision record', () => {
  it('leads to the same outcomes and codes when it is evaluated again', () => {
    always((request, own) => {
      const record = decisionRecord(request, evaluate(request, own));
      expect(record).toMatchObject({ profile: own.name, digest: compileProfile(own).digest });
      const logged = RULE_TABLE.map(({ section }) => [section, record[section]]);
      const sections = { ...Object.fromEntries(logged), spend: request.spend };
      const again = JSON.parse(JSON.stringify(sections));
      expect(decisionRecord(again, evaluate(again, own)).rules).toEqual(record.rules);
    });
  });
});

describe('the digest of a profile', () => {
  it('is the SHA-256 of its canonical JSON, whatever the order of its members', () => {
    const { name, version, spend, ...rest } = defaultProfile;
    const { limit_major_units, ...limits } = spend;
    const reordered = { ...rest, spend: { ...limits, limit_major_units }, version, name };
    // Computed by Python: sha256 of json.dumps(profile, sort_keys=True, separators=(',', ':')).
    for (const written of [defaultProfile, reordered])
      expect(compileProfile(written).digest).toBe(
        '7ec9e424d14a41de6296ee4615129cf7d69a89986a6b44fadd84160d3468e703',
      );
  });

  it('changes with every member, including name and version', () => {
    const digests = [{}, { version: '2' }, { spend: { limit_major_units: 99 } }].map(
      (parts) => compileProfile(completeProfile({ name: 'own', ...parts })).digest,
    );
    digests.push(compileProfile(completeProfile({ name: 'other' })).digest);
    expect(new Set(digests).size).toBe(4);
  });
});
