import { globSync, readFileSync } from 'node:fs';
import {
  type CompiledSchema,
  type Examiner,
  Refusal,
  redactionRules,
  redactorFactory,
} from '@gatehouse/http-executor';
import { bundled } from './bundle.ts';

const ROOT = new URL('./test-suite/tests/', import.meta.url);

/** The drafts by the name of their folder, with their `$schema`. */
export const DRAFTS = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
  draft6: 'http://json-schema.org/draft-06/schema#',
  draft4: 'http://json-schema.org/draft-04/schema#',
} as const;
export type Draft = keyof typeof DRAFTS;

/** What the suite demands, what it leaves open, and formats. */
export const GROUPS = ['required', 'optional', 'format'] as const;
type Group = (typeof GROUPS)[number];

/** One schema of the suite and the bodies to hold against it. */
interface Case {
  readonly description: string;
  readonly schema: object;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

/** What became of the tests of one file; `wrong` names each of them. */
export interface FileResult {
  readonly file: string;
  readonly group: Group;
  readonly right: number;
  readonly refused: number;
  readonly wrong: readonly string[];
}

type Tally = { right: number; refused: number; wrong: string[] };

/** Runs the JSON Schema Test Suite for one draft, file by file. */
export async function* runSuite(examiner: Examiner, draft: Draft): AsyncGenerator<FileResult> {
  const root = new URL(`${draft}/`, ROOT);
  const files = globSync('**/*.json', { cwd: root }).sort();
  for (const file of files) {
    const cases = JSON.parse(readFileSync(new URL(file, root), 'utf8')) as Case[];
    const tally: Tally = { right: 0, refused: 0, wrong: [] };
    for (const each of cases)
      await runCase(examiner, { ...each, schema: asSent(each.schema, draft) }, tally);
    yield { file, group: groupOf(file), ...tally };
  }
}

/** What became of a draft's tests but those of formats: how many are right, and which wrong. */
export async function judgeDraft(examiner: Examiner, draft: Draft) {
  const right = { required: 0, optional: 0 };
  const wrong: string[] = [];
  for await (const result of runSuite(examiner, draft)) {
    if (result.group === 'format') continue;
    right[result.group] += result.right;
    wrong.push(...result.wrong.map((name) => `${result.file}: ${name}`));
  }
  return { right, wrong };
}

/** The same schema as an action can carry it: an object of its own, with its draft. */
function asSent(schema: unknown, draft: Draft): object {
  const isObject = typeof schema === 'object' && schema !== null;
  const object = isObject ? bundled(schema, draft) : { allOf: [schema] };
  return { $schema: DRAFTS[draft], ...object };
}

/** Formats are asserted here, though the drafts make them annotations. */
function groupOf(file: string): Group {
  if (file === 'format.json' || file.startsWith('optional/format')) return 'format';
  return file.startsWith('optional/') ? 'optional' : 'required';
}

async function runCase(
  examiner: Examiner,
  { description, schema, tests }: Case,
  tally: Tally,
): Promise<void> {
  const compiled = await compile(examiner, schema);
  if (compiled === undefined) {
    tally.refused += tests.length;
    return;
  }
  const found = tests.map(({ data }) => violationsOf(examiner, compiled, JSON.stringify(data)));
  for (const [index, violations] of (await Promise.all(found)).entries()) {
    const test = tests[index];
    const unchecked = violations.some(({ message }) =>
      message.startsWith('the body could not be checked'),
    );
    if (unchecked) tally.refused += 1;
    else if ((violations.length === 0) === test?.valid) tally.right += 1;
    else tally.wrong.push(`${description}: ${test?.description}`);
  }
}

const redactor = redactorFactory(redactionRules('all', {}))(new Map());

const JSON_BODY = { type: 'json', contentType: undefined, textChars: 0, cut: false } as const;

/** What a compiled schema finds wrong with a body, given as JSON text. */
export async function violationsOf(examiner: Examiner, schema: CompiledSchema, body: string) {
  const task = { ...JSON_BODY, bytes: Buffer.from(body), redactor, schema };
  const examined = await examiner.decodeValidateRedact(task);
  if (!('violations' in examined)) throw new Error(`the body is ${examined.reason}`);
  return examined.violations;
}

/** The schema, ready for use; undefined: it is refused. */
async function compile(examiner: Examiner, schema: object) {
  try {
    // From the third time on, a plain schema may be judged on the calling thread.
    for (const _time of [1, 2]) await examiner.compile(schema);
    return await examiner.compile(schema);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return undefined;
  }
}
