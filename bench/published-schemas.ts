import { createExaminer, Refusal } from '@gatehouse/http-executor';
import { violationsOf } from './json-schema/suite.ts';
import type { Node } from './published/bundles.ts';
import { type Family, families } from './published/families.ts';
import { installPackages } from './published/packages.ts';
import { random } from './published/random.ts';
import { samplesOf } from './published/samples.ts';
import { ThirdValidator } from './published/third-validator.ts';

/**
 * Takes schemas as they are published, has the executor judge bodies by them, and a third
 * validator beside it. Installs what it needs; prints the table of docs/published-schemas.md.
 * Arguments: names of sources; none: all of them.
 */
const MAX_BYTES = 256 * 1024;
const SAMPLES = 12;

const examiner = createExaminer(1024 * 1024);

interface Result {
  readonly family: Family;
  accepted: number;
  tooLarge: number;
  verdicts: number;
  /** Values that the third validator accepts, since it leaves formats alone. */
  byFormat: number;
  unjudged: number;
  readonly refusals: string[];
  readonly differing: string[];
}

async function judgeFamily(family: Family, third: ThirdValidator): Promise<Result> {
  const result: Result = {
    ...{ family, accepted: 0, tooLarge: 0, verdicts: 0, byFormat: 0, unjudged: 0 },
    ...{ refusals: [], differing: [] },
  };
  for (const [name, schema] of family.schemas) {
    if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES) result.tooLarge += 1;
    else await judgeSchema(name, schema, result, third);
  }
  return result;
}

async function judgeSchema(name: string, schema: Node, result: Result, third: ThirdValidator) {
  try {
    const compiled = await examiner.compile(schema);
    result.accepted += 1;
    const verdict = await third.compile(schema, result.family.dialect).catch((error: Error) => {
      result.unjudged += 1;
      if (process.env.WHY) console.error(name, error.message);
    });
    if (verdict === undefined) return;
    for (const body of samplesOf(schema, SAMPLES, random(1, name, 0))) {
      const violations = await violationsOf(examiner, compiled, JSON.stringify(body));
      if (violations.some(({ message }) => message.includes('could not be checked'))) continue;
      const isValid = violations.length === 0;
      result.verdicts += 1;
      if (isValid === verdict(body)) continue;
      if (!isValid && violations.some(({ message }) => message.includes('must match format')))
        result.byFormat += 1;
      else
        result.differing.push(
          `${name}: ${JSON.stringify(body).slice(0, 200)}: ${JSON.stringify(violations).slice(0, 300)}`,
        );
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    result.refusals.push(`${name}: ${error.message}`);
  }
}

function row({
  family,
  accepted,
  tooLarge,
  verdicts,
  byFormat,
  unjudged,
  differing,
}: Result): string {
  const fit = family.schemas.length - tooLarge;
  const share = fit === 0 ? '-' : `${Math.round((accepted / fit) * 100)} %`;
  const cells = [
    family.name,
    family.dialect,
    family.schemas.length,
    tooLarge,
    accepted,
    share,
    verdicts,
    byFormat,
    unjudged,
    differing.length,
  ];
  return `| ${cells.join(' | ')} |`;
}

installPackages();
const third = await ThirdValidator.load();
console.log(
  '| Source | Draft | Schemas | Above 256 KiB | Accepted | of those within | Verdicts | Formats alone | Not judged by the other | Different |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|');
const wanted = process.argv.slice(2);
for (const family of await families()) {
  if (wanted.length > 0 && !wanted.includes(family.name)) continue;
  const result = await judgeFamily(family, third);
  console.log(row(result));
  for (const line of [...result.refusals, ...result.differing])
    console.error(`  ${line.slice(0, 600)}`);
  if (result.differing.length > 0) process.exitCode = 1;
}
await examiner.close();
