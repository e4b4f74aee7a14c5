import {
  CheckRequest,
  CURRENCY_FORMAT,
  OneOf,
  OUTCOMES,
  RULES,
  Strict,
} from '@gatehouse/contracts';
import { findCurrency } from '@gatehouse/policy-engine';
import { compileCheck } from '@gatehouse/validation';
import { type Static, Type } from '@sinclair/typebox';

const byRule = RULES.map((rule) => [rule, Type.Optional(OneOf(OUTCOMES))] as const);

/** One request, and what it has to be answered. */
const Case = Strict({
  name: Type.String({ minLength: 1 }),
  caller: Type.Optional(Type.String()),
  request: CheckRequest,
  decision: OneOf(OUTCOMES),
  rules: Type.Optional(
    Strict(Object.fromEntries(byRule) as Record<(typeof RULES)[number], (typeof byRule)[0][1]>),
  ),
});
export type Case = Static<typeof Case>;

/** A file of cases. */
const Cases = Strict({ cases: Type.Array(Case, { minItems: 1 }) });

export const checkCases = compileCheck(
  Cases,
  { [CURRENCY_FORMAT]: (code) => findCurrency(code) !== undefined },
  Number.POSITIVE_INFINITY,
);
