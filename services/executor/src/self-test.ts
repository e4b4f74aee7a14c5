import { randomUUID } from 'node:crypto';
import {
  type Examiner,
  redactionRules,
  redactorFactory,
  type Sandbox,
} from '@gatehouse/http-executor';

const METADATA_ADDRESS = '169.254.169.254';
const JSON_BODY = { type: 'json', contentType: undefined, textChars: 0, cut: false } as const;
const TOKEN = 'self-test-token-of-no-value';
const REQUEST_HEADERS = new Map([['authorization', `Bearer ${TOKEN}`]]);

/** One for the quick thread, and one that is too large for it; both repeat the token. */
const BODIES = [300, 900].map((kib) =>
  Buffer.from(JSON.stringify({ id: 'x'.repeat(kib * 1024), token: TOKEN })),
);

/**
 * Sends bodies through each kind of thread, and leaves the quick one warm for the first request.
 * @throws Error unless the sandbox and the threads work as they should.
 */
export async function selfTest(sandbox: Sandbox, examiner: Examiner): Promise<void> {
  if (sandbox.mayReach('self-test.example', METADATA_ADDRESS).ok)
    throw new Error('the sandbox lets metadata through');
  // A new schema each time, because a refusal is remembered.
  const wanted = { type: 'object', required: ['id'], $comment: randomUUID() };
  const schema = await examiner.compile(wanted);
  const redactor = redactorFactory(redactionRules('all', {}))(REQUEST_HEADERS);
  const examine = async (bytes: Buffer) => {
    const examined = await examiner.decodeValidateRedact({ ...JSON_BODY, bytes, redactor, schema });
    if (examined.kind !== 'json') throw new Error('a JSON body was not read as JSON');
    return { text: Buffer.from(examined.json).toString(), violations: examined.violations };
  };
  for (const bytes of BODIES) {
    const { text, violations } = await examine(bytes);
    if (text !== bytes.toString().replace(TOKEN, 'REDACTED'))
      throw new Error('a thread changed a body, or showed a secret');
    if (violations.length > 0) throw new Error('a response schema refused a valid body');
  }
  if ((await examine(Buffer.from('{}'))).violations.length === 0)
    throw new Error('a response schema took an invalid body');
}
