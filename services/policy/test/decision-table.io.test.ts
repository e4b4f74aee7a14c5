import { afterAll, describe, expect, it } from 'vitest';
import {
  type Case,
  CONNECTOR_CASES,
  CROSSED_CASES,
  LEGAL_CASES,
  PII_CASES,
  SPEND_CURRENCIES,
  spendCases,
} from '../../../packages/policy-engine/test/support/cases.ts';
import {
  type Answer,
  expectedAnswer,
} from '../../../packages/policy-engine/test/support/decision-table.ts';
import { postCheck, startPolicy } from './support/policy-server.ts';

const AT_ONCE = 16;

const server = await startPolicy();
afterAll(() => server[Symbol.asyncDispose]());

/**
 * The answers to all requests in their order, `AT_ONCE` of them under way at any time.
 */
async function askAll(cases: readonly Case[]): Promise<{ status: number; answer: Answer }[]> {
  const answers: { status: number; answer: Answer }[] = [];
  const waiting = cases.entries();
  const worker = async () => {
    for (const [place, { request }] of waiting) {
      const response = await postCheck(server.url, JSON.stringify(request));
      answers[place] = { status: response.status, answer: (await response.json()) as Answer };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers;
}

const TABLES: [name: string, cases: readonly Case[]][] = [
  ...SPEND_CURRENCIES.map((currency): [string, Case[]] => [
    `spend in ${currency}`,
    spendCases(currency),
  ]),
  ['every subset of the PII categories', PII_CASES],
  ['every subset of the legal flags', LEGAL_CASES],
  ['every connector form', CONNECTOR_CASES],
  ['every section crossed with every other', CROSSED_CASES],
];

describe('the decision table over HTTP', () => {
  it.each(TABLES)('%s', async (_name, cases) => {
    const answers = await askAll(cases);
    expect(answers.length).toBe(cases.length);
    for (const [place, { name, request }] of cases.entries()) {
      const { status, answer } = answers[place] ?? expect.fail(`no answer to ${name}`);
      expect(status, name).toBe(200);
      expect(answer, name).toEqual(expectedAnswer(request));
    }
  });
});
