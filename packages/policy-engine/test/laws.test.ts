import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, toResponse } from '../src/index.ts';
import { amount, categories, checkRequest, currency, flags, scope } from './support/arbitraries.ts';
import {
  CATEGORIES,
  type CheckInput,
  expectedAnswer,
  expectedScope,
  FLAGS,
  STRICTNESS,
} from './support/decision-table.ts';

const RUNS = { numRuns: 500 };

/**
 * The strictness of the answer as a whole and of each rule, for a comparison place by
 * place.
 */
function strictness(request: CheckInput): number[] {
  const { decision, rules } = evaluate(request);
  return [decision, ...rules.map(({ outcome }) => outcome)].map((verdict) =>
    STRICTNESS.indexOf(verdict),
  );
}

function expectNoLooser(stricter: CheckInput, than: CheckInput) {
  const before = strictness(than);
  const after = strictness(stricter);
  expect(after.length).toBe(before.length);
  for (const [place, level] of after.entries())
    expect(level).toBeGreaterThanOrEqual(before[place] ?? Infinity);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** A list beside a shuffled copy in which some members occur again. */
const reordered = <T>(list: fc.Arbitrary<T[]>) =>
  list.chain((items) =>
    fc.tuple(
      fc.constant(items),
      fc
        .subarray(items)
        .chain((again) =>
          fc.shuffledSubarray([...items, ...again], { minLength: items.length + again.length }),
        ),
    ),
  );

describe('a stricter request is never answered more loosely', () => {
  it('when a category is added', () => {
    const property = fc.property(
      checkRequest,
      categories,
      fc.constantFrom(...CATEGORIES),
      (request, list, added) => {
        expectNoLooser(
          { ...request, pii: { categories: [...list, added] } },
          { ...request, pii: { categories: list } },
        );
      },
    );
    fc.assert(property, RUNS);
  });

  it('when a flag is added', () => {
    const property = fc.property(
      checkRequest,
      flags,
      fc.constantFrom(...FLAGS),
      (request, list, added) => {
        expectNoLooser(
          { ...request, legal: { flags: [added, ...list] } },
          { ...request, legal: { flags: list } },
        );
      },
    );
    fc.assert(property, RUNS);
  });

  it('when the amount is raised', () => {
    const property = fc.property(
      currency,
      fc.option(amount),
      amount,
      amount,
      (code, limit, one, other) => {
        const spending = (minorUnits: number): CheckInput => ({
          spend: { amount_minor_units: minorUnits, currency: code, user_limit_minor_units: limit },
        });
        expectNoLooser(spending(Math.max(one, other)), spending(Math.min(one, other)));
      },
    );
    fc.assert(property, RUNS);
  });

  it('when the user limit is lowered', () => {
    const property = fc.property(
      currency,
      amount,
      amount,
      amount,
      (code, minorUnits, one, other) => {
        const limitedTo = (limit: number): CheckInput => ({
          spend: { amount_minor_units: minorUnits, currency: code, user_limit_minor_units: limit },
        });
        expectNoLooser(limitedTo(Math.min(one, other)), limitedTo(Math.max(one, other)));
      },
    );
    fc.assert(property, RUNS);
  });
});

describe('what does not matter never changes the answer', () => {
  it('the order of categories and flags, and how often each is named', () => {
    const property = fc.property(
      checkRequest,
      reordered(categories),
      reordered(flags),
      (request, pii, legal) => {
        const [one, other] = [0, 1].map((version) =>
          toResponse(
            evaluate({
              ...request,
              pii: { categories: pii[version] ?? [] },
              legal: { flags: legal[version] ?? [] },
            }),
          ),
        );
        expect(other).toEqual(one);
      },
    );
    fc.assert(property, RUNS);
  });

  it('the request_id', () => {
    const telling = fc.constantFrom(
      '',
      'allow',
      'deny',
      'admin',
      'root',
      'mcp://root',
      'mcp://calendar',
      'null',
      '0',
    );
    const ids = fc.option(fc.oneof(telling, fc.string({ maxLength: 128 })));
    const property = fc.property(checkRequest, ids, (request, id) => {
      const { request_id: _dropped, ...anonymous } = request;
      expect(evaluate({ ...request, request_id: id })).toEqual(evaluate(anonymous));
    });
    fc.assert(property, RUNS);
  });

  it('whether the request was evaluated before, which also leaves it as it was', () => {
    const property = fc.property(checkRequest, (request) => {
      const frozen = deepFreeze(structuredClone(request));
      expect(evaluate(frozen)).toEqual(evaluate(frozen));
      expect(frozen).toEqual(request);
    });
    fc.assert(property, RUNS);
  });
});

describe('every request', () => {
  it('is answered rule by rule, as if its other sections denied or were not there', () => {
    const denied: CheckInput = {
      spend: { amount_minor_units: 50_001, currency: 'EUR' },
      pii: { categories: ['biometric'] },
      legal: { flags: ['prohibited_content'] },
      connector: { scope: 'mcp://root' },
    };
    const property = fc.property(checkRequest, (request) => {
      const { rules } = evaluate(request);
      const sections = ['spend', 'pii', 'legal', 'connector'] as const;
      for (const [place, section] of sections.slice(0, rules.length).entries()) {
        const own = { [section]: request[section] };
        expect(evaluate(own).rules[place]).toEqual(rules[place]);
        expect(evaluate({ ...denied, [section]: undefined, ...own }).rules[place]).toEqual(
          rules[place],
        );
      }
    });
    fc.assert(property, RUNS);
  });

  it('gets what the decision table says', () => {
    const property = fc.property(checkRequest, (request) => {
      expect(toResponse(evaluate(request))).toEqual(expectedAnswer(request));
    });
    fc.assert(property, RUNS);
  });

  it('is allowed a scope only if that scope is listed', () => {
    const property = fc.property(scope, (text) => {
      expect(evaluate({ connector: { scope: text } }).rules[3]?.outcome).toBe(expectedScope(text));
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
