import { writeFileSync } from 'node:fs';
import {
  CheckRequest,
  DECISIONS,
  OneOf,
  printable,
  RULES,
  type RuleName,
  Strict,
  type Violation,
} from '@gatehouse/contracts';
import { type Checked, compileValidator } from '@gatehouse/contracts/validation';
import { CHECK_FORMATS, type Check, evaluate, readCheck, toResponse } from '@gatehouse/policy';
import { type Profiles, profileFor } from '@gatehouse/policy/files';
import { type Static, Type } from '@sinclair/typebox';
import { checkCaller, fileError, loadDocument, loadProfiles } from '../input.ts';
import { junit, type Result } from '../junit.ts';
import { EXIT, painted, table, type Write } from '../output.ts';

const byRule = RULES.map((rule) => [rule, Type.Optional(OneOf(DECISIONS))] as const);

const Case = Strict({
  name: Type.String({ minLength: 1 }),
  caller: Type.Optional(Type.String()),
  request: CheckRequest,
  decision: OneOf(DECISIONS),
  rules: Type.Optional(
    Strict(Object.fromEntries(byRule) as Record<RuleName, (typeof byRule)[0][1]>),
  ),
});
type Case = Static<typeof Case>;

const Cases = Strict({ cases: Type.Array(Case, { minItems: 1 }) });
const checkCases = compileValidator(Cases, CHECK_FORMATS);

type ReadCase = Omit<Case, 'request'> & { readonly check: Check };

/** Reads the cases and the action in each of their requests. */
function readCases(value: unknown): Checked<readonly ReadCase[]> {
  const checked = checkCases(value);
  if (!checked.ok) return checked;

  const cases: ReadCase[] = [];
  const violations: Violation[] = [];
  for (const [index, { request, ...rest }] of checked.value.cases.entries()) {
    const read = readCheck(request);
    if (read.ok) cases.push({ ...rest, check: read.value });
    else
      for (const { pointer, message } of read.violations)
        violations.push({ pointer: `/cases/${index}/request${pointer}`, message });
  }
  return violations.length > 0 ? { ok: false, violations } : { ok: true, value: cases };
}

export function test(
  write: Write,
  profileFile: string,
  casesFile: string,
  options: { readonly junit?: string },
): number {
  const profiles = loadProfiles(profileFile);
  const cases = loadDocument(casesFile, readCases);
  for (const { name, caller } of cases) checkCaller(caller, [profiles], `case \`${name}\`: `);
  const results = cases.map((each) => runCase(each, profiles));
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const coverage = coverageOf(results, profiles);
  if (options.junit !== undefined) writeReport(options.junit, junit(casesFile, results));
  const text = () => textOf(results, failed, coverage);
  write({ cases: results.length, failed, coverage, results }, text);
  return failed === 0 ? EXIT.fine : EXIT.found;
}

function runCase({ name, caller, check, decision, rules = {} }: ReadCase, profiles: Profiles) {
  const response = toResponse(evaluate(check, profileFor(profiles, caller)));
  const failures: string[] = [];
  if (response.decision !== decision) {
    const deciding = response.rules.filter(({ outcome }) => outcome === response.decision);
    const why = deciding.map(({ rule, detail }) => `${rule}: ${detail}`).join(' ');
    failures.push(`decision is ${response.decision}, expected ${decision}: ${why}`);
  }
  for (const [rule, expected] of Object.entries(rules)) {
    const { outcome = 'silent', detail = 'no section' } =
      response.rules.find((each) => each.rule === rule) ?? {};
    if (outcome !== expected)
      failures.push(`${rule} is ${outcome}, expected ${expected}: ${detail}`);
  }
  return { name, rules: response.rules, failures };
}

type Coverage = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Counts outcomes by rule. Leaves out `http_action` if no profile has a section `actions`. */
function coverageOf(results: readonly ReturnType<typeof runCase>[], profiles: Profiles): Coverage {
  const hasActions = profiles.all.some(({ actions }) => actions !== undefined);
  const rules = RULES.filter((rule) => rule !== 'http_action' || hasActions);
  const answers = results.flatMap(({ rules }) => rules);
  const count = (rule: string, outcome: string) =>
    answers.filter((each) => each.rule === rule && each.outcome === outcome).length;
  const counts = (rule: string) =>
    Object.fromEntries(DECISIONS.map((outcome) => [outcome, count(rule, outcome)]));
  return Object.fromEntries(rules.map((rule) => [rule, counts(rule)]));
}

function writeReport(file: string, report: string): void {
  try {
    writeFileSync(file, report);
  } catch (error) {
    throw fileError('written', file, error);
  }
}

function textOf(results: readonly Result[], failed: number, coverage: Coverage): string {
  const lines = results.flatMap(({ name, failures }) =>
    failures.length === 0
      ? [`ok      ${printable(name)}`]
      : failures.map((each) => `FAILED  ${printable(`${name}: ${each}`)}`),
  );
  const counts = Object.values(coverage).flatMap((each) => Object.values(each));
  const covered = counts.filter((count) => count > 0).length;
  const rows = Object.entries(coverage).map(([rule, count]) => [
    rule,
    ...DECISIONS.map((outcome) => String(count[outcome] || '–')),
  ]);
  return [
    ...lines,
    '',
    table(['rule', ...DECISIONS.map(painted)], rows),
    '',
    `${results.length - failed} of ${results.length} cases passed; ${covered} of ${counts.length} outcomes covered.`,
  ].join('\n');
}
