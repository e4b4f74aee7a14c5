import { globSync, readFileSync } from 'node:fs';
import {
  type CompiledSchema,
  type Examiner,
  Refusal,
  redactionRules,
  redactorFactory,
} from '@gatehouse/http-executor';

const ROOT = new URL('./draft2020-12/', import.meta.url);

/**
 * What the suite demands of every implementation, what it leaves open, and the formats,
 * which the draft lets be.
 */
export const GROUPS = ['required', 'optional', 'format'] as const;
export type Group = (typeof GROUPS)[number];

/** One schema of the suite and the bodies to hold against it. */
interface Case {
  readonly description: string;
  readonly schema: unknown;
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
  /** Why schemas were refused, with the number of their tests. */
  readonly reasons: ReadonlyMap<string, number>;
}

type Tally = { right: number; refused: number; wrong: string[]; reasons: Map<string, number> };

/** Runs the JSON Schema Test Suite, draft 2020-12, file by file. */
export async function* runSuite(examiner: Examiner): AsyncGenerator<FileResult> {
  const files = globSync('**/*.json', { cwd: ROOT }).sort();
  for (const file of files) {
    const cases = JSON.parse(readFileSync(new URL(file, ROOT), 'utf8')) as Case[];
    const tally: Tally = { right: 0, refused: 0, wrong: [], reasons: new Map() };
    for (const each of cases) await runCase(examiner, each, tally);
    yield { file, group: groupOf(file), ...tally };
  }
}

/**
 * `format` is an annotation in the draft; here it is asserted, for the sake of callers
 * who write it.
 */
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
  if (typeof compiled === 'string') {
    tally.refused += tests.length;
    tally.reasons.set(compiled, (tally.reasons.get(compiled) ?? 0) + tests.length);
    return;
  }
  for (const test of tests) {
    const violations = await violationsOf(examiner, compiled, JSON.stringify(test.data));
    const unchecked = violations.some(({ message }) =>
      message.startsWith('the body could not be checked'),
    );
    if (unchecked) tally.refused += 1;
    else if ((violations.length === 0) === test.valid) tally.right += 1;
    else tally.wrong.push(`${description}: ${test.description}`);
  }
}

const redactor = redactorFactory(redactionRules('all', {}))(new Map());

const JSON_BODY = { type: 'json', contentType: undefined, textChars: 0, cut: false } as const;

/** What a compiled schema finds wrong with a body, given as JSON text. */
export async function violationsOf(examiner: Examiner, schema: CompiledSchema, body: string) {
  const task = { ...JSON_BODY, bytes: Buffer.from(body), redactor, schema };
  const examined = await examiner.examine(task, new AbortController().signal);
  if (!('violations' in examined)) throw new Error(`the body is ${examined.reason}`);
  return examined.violations;
}

/**
 * The schema, ready for use, or why there is none. A schema that is only `true` or
 * `false` is not one that an action can carry.
 */
async function compile(examiner: Examiner, schema: unknown) {
  if (typeof schema !== 'object' || schema === null) return 'it is not an object';
  try {
    // From the third time on, a plain schema may be judged on the calling thread.
    for (const _time of [1, 2]) await examiner.compile(schema);
    return await examiner.compile(schema);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}
