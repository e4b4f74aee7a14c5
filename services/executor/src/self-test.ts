import { randomUUID } from 'node:crypto';
import { type Examiner, redactionRules, redactorFactory } from '@gatehouse/http-executor';

const BODY = { type: 'json', contentType: undefined, textChars: 0, cut: false } as const;

/** Size of the test bodies. Larger bodies would raise the thread's memory use after the test. */
const BODY_KIB = 300;

/**
 * Tests whether the thread for short tasks validates bodies correctly, and warms up the thread.
 * @throws Error if the thread accepts the invalid body or refuses the valid one
 */
export async function selfTest(examiner: Examiner): Promise<void> {
  // Use a new schema each time, because a schema whose check was slow is refused for a while.
  const schema = await examiner.compile({ required: ['id'], $comment: randomUUID() });
  const redactor = redactorFactory(redactionRules('all', {}))(new Map());
  const violationsIn = async (document: object) => {
    const bytes = Buffer.from(JSON.stringify(document));
    const examined = await examiner.decodeValidateRedact({ ...BODY, bytes, redactor, schema });
    return examined.kind === 'json' ? examined.violations.length : undefined;
  };
  const text = 'x'.repeat(BODY_KIB * 1024);
  if ((await violationsIn({ id: text })) !== 0) throw new Error('a valid body failed validation');
  if ((await violationsIn({ text })) !== 1) throw new Error('an invalid body passed validation');
}
