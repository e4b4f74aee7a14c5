import { randomUUID } from 'node:crypto';
import {
  createExaminer,
  type Examiner,
  redactionRules,
  redactorFactory,
  type Sandbox,
} from '@gatehouse/http-executor';

const METADATA_ADDRESS = '169.254.169.254';
const SCHEMA = { type: 'object', required: ['id'] };
const JSON_BODY = { type: 'json', contentType: undefined, textChars: 0, cut: false } as const;
const NEVER = new AbortController().signal;

/**
 * `selfTest` on threads that end with it: idle ones would hold tens of megabytes until they
 * are needed.
 */
export async function testOnOwnThreads(sandbox: Sandbox, maxResponseBytes: number): Promise<void> {
  const examiner = createExaminer(maxResponseBytes);
  try {
    await selfTest(sandbox, examiner);
  } finally {
    await examiner.close();
  }
}

/** @throws Error unless the sandbox and the threads that judge schemas and bodies do so rightly. */
export async function selfTest(sandbox: Sandbox, examiner: Examiner): Promise<void> {
  if (sandbox.mayReach('self-test.example', METADATA_ADDRESS).ok)
    throw new Error('the sandbox lets metadata through');
  // Anew each time, since a refusal for lack of time would be remembered.
  const schema = await examiner.compile({ ...SCHEMA, $comment: randomUUID() });
  const redactor = redactorFactory(redactionRules('all', {}))(new Map());
  const violationsOf = async (body: string): Promise<number> => {
    const job = { ...JSON_BODY, bytes: Buffer.from(body), redactor, schema };
    const examined = await examiner.examine(job, NEVER);
    return examined.kind === 'json' ? examined.violations.length : Number.NaN;
  };
  if ((await violationsOf('{"id":1}')) !== 0 || !((await violationsOf('{}')) > 0)) {
    throw new Error('a response schema was judged wrongly');
  }
}
