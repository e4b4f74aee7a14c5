import {
  CATEGORIES,
  type CheckInput,
  expectedDecision,
  expectedRules,
  FLAGS,
} from './decision-table.ts';

/** A check response as a test meets it, whoever gave it. */
export type Answer = {
  decision: string;
  rules: { rule: string; outcome: string; detail: string }[];
};

/**
 * What is compared: the decision, each rule with its outcome, and each word a detail
 * lacks or has too many.
 */
export type Summary = { decision: string; rules: string[]; unnamed: string[]; misnamed: string[] };

export function expectedSummary(request: CheckInput): Summary {
  const rules = expectedRules(request);
  return {
    decision: expectedDecision(rules),
    rules: rules.map(({ rule, outcome }) => `${rule}: ${outcome}`),
    unnamed: [],
    misnamed: [],
  };
}

/**
 * The answer in the shape of `expectedSummary`; a `toEqual` of the two shows what
 * differs.
 */
export function summarize(answer: Answer, request: CheckInput): Summary {
  const expected = expectedRules(request);
  const detailOf = (rule: string) => answer.rules.find((line) => line.rule === rule)?.detail ?? '';
  return {
    decision: answer.decision,
    rules: answer.rules.map(({ rule, outcome }) => `${rule}: ${outcome}`),
    unnamed: expected.flatMap(({ rule, names: wanted }) =>
      wanted
        .filter((name) => !names(detailOf(rule), name))
        .map((name) => `${rule}: ${name} not in ${detailOf(rule)}`),
    ),
    misnamed: [
      ...without(CATEGORIES, request.pii?.categories).filter((name) =>
        names(detailOf('pii_guardrail'), name),
      ),
      ...without(FLAGS, request.legal?.flags).filter((name) =>
        names(detailOf('legal_compliance'), name),
      ),
    ],
  };
}

/**
 * Whether `detail` names `word` as a whole: `EUR 1.00` is not named by `EUR 1.005`, nor
 * `root` by `rooted`.
 */
export function names(detail: string, word: string): boolean {
  for (let at = detail.indexOf(word); at !== -1; at = detail.indexOf(word, at + 1)) {
    const after = detail.slice(at + word.length);
    if (!/\w$/.test(detail.slice(0, at)) && !/^(\w|\.\d)/.test(after)) return true;
  }
  return false;
}

function without<T>(all: readonly T[], some: readonly T[] = []): T[] {
  return all.filter((member) => !some.includes(member));
}
