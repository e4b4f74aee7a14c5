import { createExaminer } from '@gatehouse/http-executor';
import { type FileResult, GROUPS, runSuite } from './json-schema/suite.ts';

/**
 * Runs the JSON Schema Test Suite, draft 2020-12, and prints what became of it: a table,
 * or JSON lines on a pipe.
 */
const table = process.stdout.isTTY;

function print(name: string, right: number, refused: number, wrong: readonly string[]): void {
  const columns = [right, refused, wrong.length].map((count) => String(count).padStart(8)).join('');
  console.log(
    table ? `${name.padEnd(44)}${columns}` : JSON.stringify({ name, right, refused, wrong }),
  );
}

if (table) console.log(`${''.padEnd(44)}   right refused   wrong`);
const examiner = createExaminer(1024 * 1024);
const results: FileResult[] = [];
for await (const result of runSuite(examiner)) {
  results.push(result);
  print(result.file, result.right, result.refused, result.wrong);
}
await examiner.close();

const sum = (of: readonly FileResult[], count: 'right' | 'refused') =>
  of.reduce((all, each) => all + each[count], 0);
for (const group of [...GROUPS, 'all'] as const) {
  const members = results.filter((each) => group === 'all' || each.group === group);
  const wrong = members.flatMap((each) => each.wrong.map((name) => `${each.file}: ${name}`));
  print(`= ${group}`, sum(members, 'right'), sum(members, 'refused'), wrong);
  if (table && group !== 'format' && group !== 'all')
    for (const name of wrong) console.log(`  ${name}`);
  if ((group === 'required' || group === 'optional') && wrong.length > 0) process.exitCode = 1;
}
