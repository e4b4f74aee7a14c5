import { createExaminer } from '@gatehouse/http-executor';
import { DRAFTS, type Draft, type FileResult, GROUPS, runSuite } from './json-schema/suite.ts';
import { print } from './support/figures.ts';

/**
 * Runs the JSON Schema Test Suite and prints what became of it: text, or JSON lines on a
 * pipe. Arguments: drafts, such as `draft7`; none: all of them.
 */
const sum = (of: readonly FileResult[], count: 'right' | 'refused') =>
  of.reduce((all, each) => all + each[count], 0);

function printGroups(draft: Draft, results: readonly FileResult[]): void {
  for (const group of GROUPS) {
    const members = results.filter((each) => each.group === group);
    if (members.length === 0) continue;
    const wrong = members.flatMap((each) => each.wrong.map((name) => `${each.file}: ${name}`));
    const [right, refused] = [sum(members, 'right'), sum(members, 'refused')];
    print({ name: `= ${draft} ${group}`, right, refused, wrong });
    if (group !== 'format' && wrong.length > 0) process.exitCode = 1;
  }
}

const wanted = process.argv.slice(2);
const examiner = createExaminer(1024 * 1024);
for (const draft of Object.keys(DRAFTS) as Draft[]) {
  if (wanted.length > 0 && !wanted.includes(draft)) continue;
  const results: FileResult[] = [];
  for await (const result of runSuite(examiner, draft)) {
    results.push(result);
    const { file, right, refused, wrong } = result;
    print({ name: `${draft}/${file}`, right, refused, wrong });
  }
  printGroups(draft, results);
}
await examiner.close();
