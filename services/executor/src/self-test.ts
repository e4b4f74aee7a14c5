import { randomUUID } from 'node:crypto';
import {
  type BodyToExamine,
  type Examiner,
  redactionRules,
  redactorFactory,
  type Sandbox,
} from '@gatehouse/http-executor';

const METADATA_ADDRESS = '169.254.169.254';
const JSON_BODY = { type: 'json', contentType: undefined, textChars: 0, cut: false } as const;
const NEVER = new AbortController().signal;

/** Larger than what is examined without a thread. */
const LARGE = Buffer.from(JSON.stringify({ id: 'x'.repeat(300 * 1024) }));

/**
 * Sends bodies through every thread, with and without a schema, and leaves the quick thread
 * warm for the first request.
 * @throws Error unless the sandbox and the threads work as they should.
 */
export async function selfTest(sandbox: Sandbox, examiner: Examiner): Promise<void> {
  if (sandbox.mayReach('self-test.example', METADATA_ADDRESS).ok)
    throw new Error('the sandbox lets metadata through');
  // A new schema each time, because a refusal is remembered.
  const wanted = { type: 'object', required: ['id'], $comment: randomUUID() };
  const schema = await examiner.compile(wanted);
  const redactor = redactorFactory(redactionRules('all', {}))(new Map());
  const examinedBy = async (
    examine: (body: BodyToExamine) => ReturnType<Examiner['examine']>,
    bytes: Buffer,
  ) => {
    const examined = await examine({ ...JSON_BODY, bytes, redactor, schema });
    if (examined.kind !== 'json') throw new Error('a JSON body was not read as JSON');
    return { bytes: Buffer.from(examined.bytes), isValid: examined.violations.length === 0 };
  };
  const ways = [
    (body: BodyToExamine) => examiner.examine(body, NEVER),
    (body: BodyToExamine) => examiner.examineSlowly(body),
  ];
  for (const examine of ways) {
    const whole = await examinedBy(examine, LARGE);
    if (!whole.bytes.equals(LARGE)) throw new Error('a thread changed a body');
    if (!whole.isValid || (await examinedBy(examine, Buffer.from('{}'))).isValid)
      throw new Error('a response schema gave a wrong verdict');
  }
}
