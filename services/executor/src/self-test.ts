import { randomUUID } from 'node:crypto';
import { type Examiner, redactionRules, redactorFactory } from '@gatehouse/http-executor';

const BODY = { type: 'json', contentType: undefined, textChars: 0, cut: false } as const;

/** Size of a test body. Larger bodies would keep the worker's memory use high after the test. */
const BODY_KIB = 300;

/**
 * Tests whether the worker thread for short tasks validates bodies correctly, and warms it up.
 * @throws Error if the worker thread accepts an invalid test body or refuses a valid one
 */
export async function selfTest(examiner: Examiner): Promise<void> {
  // If a schema is slow, the executor refuses it for a minute. So use a new schema for each try.
  const schema = await examiner.compile({ required: ['id'], $comment: randomUUID() });
  const redactor = redactorFactory(redactionRules())(new Map());
  const violationsIn = async (document: object) => {
    const bytes = Buffer.from(JSON.stringify(document));
    const examined = await examiner.decodeValidateRedact({ ...BODY, bytes, redactor, schema });
    return examined.kind === 'json' ? examined.violations.length : undefined;
  };
  const text = 'x'.repeat(BODY_KIB * 1024);
  if ((await violationsIn({ id: text })) !== 0) throw new Error('the worker refused a valid body');
  if ((await violationsIn({ text })) !== 1) throw new Error('the worker accepted an invalid body');
}
