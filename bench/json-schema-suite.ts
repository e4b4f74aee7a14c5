import { createExaminer } from '@gatehouse/http-executor';
import { DRAFTS, type Draft, type FileResult, GROUPS, runSuite } from './json-schema/suite.ts';

/**
 * Runs the JSON Schema Test Suite and prints what became of it: a table, or JSON lines on a
 * pipe. Arguments: drafts, such as `draft7`; none: all of them.
 */
const table = process.stdout.isTTY;

function print(name: string, right: number, refused: number, wrong: readonly string[]): void {
  const columns = [right, refused, wrong.length].map((count) => String(count).padStart(8)).join('');
  console.log(
    table ? `${name.padEnd(44)}${columns}` : JSON.stringify({ name, right, refused, wrong }),
  );
}

const sum = (of: readonly FileResult[], count: 'right' | 'refused') =>
  of.reduce((all, each) => all + each[count], 0);

function printGroups(draft: Draft, results: readonly FileResult[]): void {
  for (const group of GROUPS) {
    const members = results.filter((each) => each.group === group);
    if (members.length === 0) continue;
    const wrong = members.flatMap((each) => each.wrong.map((name) => `${each.file}: ${name}`));
    print(`= ${draft} ${group}`, sum(members, 'right'), sum(members, 'refused'), wrong);
    if (group === 'format') continue;
    if (table) for (const name of wrong) console.log(`  ${name}`);
    if (wrong.length > 0) process.exitCode = 1;
  }
}

const wanted = process.argv.slice(2);
const examiner = createExaminer(1024 * 1024);
if (table) console.log(`${''.padEnd(44)}   right refused   wrong`);
for (const draft of Object.keys(DRAFTS) as Draft[]) {
  if (wanted.length > 0 && !wanted.includes(draft)) continue;
  const results: FileResult[] = [];
  for await (const result of runSuite(examiner, draft)) {
    results.push(result);
    print(`${draft}/${result.file}`, result.right, result.refused, result.wrong);
  }
  printGroups(draft, results);
}
await examiner.close();
