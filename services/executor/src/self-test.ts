import { randomUUID } from 'node:crypto';
import { type Examiner, redactionRules, redactorFactory } from '@gatehouse/http-executor';

const BODY = { type: 'json', contentType: undefined, textChars: 0, cut: false } as const;

/** Bodies of this size are checked on a thread. Larger ones would leave garbage in its memory. */
const BODY_KIB = 300;

/**
 * Checks a valid and an invalid body on the quick thread, which is then warm for requests.
 * @throws Error unless exactly the invalid body breaks the schema.
 */
export async function selfTest(examiner: Examiner): Promise<void> {
  // A new schema each time, because a refusal is remembered.
  const schema = await examiner.compile({ required: ['id'], $comment: randomUUID() });
  const redactor = redactorFactory(redactionRules('all', {}))(new Map());
  const violationsIn = async (document: object) => {
    const bytes = Buffer.from(JSON.stringify(document));
    const examined = await examiner.decodeValidateRedact({ ...BODY, bytes, redactor, schema });
    return examined.kind === 'json' ? examined.violations.length : undefined;
  };
  const text = 'x'.repeat(BODY_KIB * 1024);
  if ((await violationsIn({ id: text })) !== 0)
    throw new Error('the thread did not accept a valid body');
  if ((await violationsIn({ text })) !== 1)
    throw new Error('the thread did not refuse an invalid body');
}
