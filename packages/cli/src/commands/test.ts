import { writeFileSync } from 'node:fs';
import { OUTCOMES, RULES, type RuleDecision } from '@gatehouse/contracts';
import { evaluate, toResponse } from '@gatehouse/policy-engine';
import { type Profiles, printable, profileFor } from '@gatehouse/policy-profile';
import { type Case, checkCases } from '../cases.ts';
import { EXIT } from '../exit.ts';
import { CannotUse, checkCaller, documentOf, profilesIn } from '../input.ts';
import { junit, type Result } from '../junit.ts';
import { type Output, painted } from '../output.ts';

interface JudgedResult extends Result {
  readonly rules: readonly RuleDecision[];
}

/** `gatehouse test`: cases, and how much of the rules and outcomes they cover. */
export function test(
  output: Output,
  profileFile: string,
  casesFile: string,
  options: { readonly junit?: string },
): number {
  const profiles = profilesIn(profileFile);
  const { cases } = documentOf(casesFile, checkCases);
  for (const { caller } of cases) checkCaller(caller, profiles);
  const results = cases.map((each) => judgeCase(each, profiles));
  const failed = results.filter(({ failures }) => failures.length > 0);
  const coverage = coverageOf(results);
  if (options.junit !== undefined) writeReport(options.junit, junit(casesFile, results));
  const document = { cases: results.length, failed: failed.length, coverage, results };
  output.write(document, () => textOf(results, failed.length, coverage, output));
  return failed.length === 0 ? EXIT.fine : EXIT.found;
}

function judgeCase(
  { name, caller, request, decision, rules = {} }: Case,
  profiles: Profiles,
): JudgedResult {
  const response = toResponse(evaluate(request, profileFor(profiles, caller)));
  const failures: string[] = [];
  if (response.decision !== decision)
    failures.push(`decision is ${response.decision}, expected ${decision}`);
  for (const [rule, expected] of Object.entries(rules)) {
    const found = response.rules.find((each) => each.rule === rule);
    if (found?.outcome !== expected)
      failures.push(
        `${rule} is ${found?.outcome ?? 'silent'}, expected ${expected}: ${found?.detail ?? 'no section'}`,
      );
  }
  return { name, rules: response.rules, failures };
}

type Coverage = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** How many cases had each outcome of each rule. */
function coverageOf(results: readonly JudgedResult[]): Coverage {
  const answers = results.flatMap(({ rules }) => rules);
  const count = (rule: string, outcome: string) =>
    answers.filter((each) => each.rule === rule && each.outcome === outcome).length;
  return Object.fromEntries(
    RULES.map((rule) => [
      rule,
      Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(rule, outcome)])),
    ]),
  );
}

/** @throws {CannotUse} */
function writeReport(file: string, report: string): void {
  try {
    writeFileSync(file, report);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CannotUse(`${file}: cannot be written (${code ?? message})`);
  }
}

function textOf(
  results: readonly Result[],
  failed: number,
  coverage: Coverage,
  output: Output,
): string {
  const lines = results.flatMap(({ name, failures }) =>
    failures.length === 0
      ? [`ok      ${printable(name)}`]
      : failures.map((each) => `FAILED  ${printable(`${name}: ${each}`)}`),
  );
  const rows = Object.entries(coverage).map(([rule, counts]) => [
    rule,
    ...OUTCOMES.map((outcome) => String(counts[outcome] || '–')),
  ]);
  const covered = rows.flatMap((row) => row.slice(1)).filter((count) => count !== '–').length;
  return [
    ...lines,
    '',
    output.table(['rule', ...OUTCOMES.map(painted)], rows),
    '',
    `${results.length - failed} of ${results.length} cases as expected; ${covered} of ${RULES.length * OUTCOMES.length} outcomes covered.`,
  ].join('\n');
}
