import { randomUUID } from 'node:crypto';
import { type Examiner, redactionRules, redactorFactory } from '@gatehouse/http-executor';

const BODY = { type: 'json', contentType: undefined, textChars: 0, cut: false } as const;

/** One for the quick thread, and one that is too large for it. */
const SIZES_KIB = [300, 900];

/**
 * Checks bodies on each kind of thread, and leaves them warm for the first request.
 * @throws Error unless each finds what breaks a schema, and nothing else.
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
  for (const kib of SIZES_KIB) {
    const text = 'x'.repeat(kib * 1024);
    if ((await violationsIn({ id: text })) !== 0)
      throw new Error('a thread did not take a valid body');
    if ((await violationsIn({ text })) !== 1)
      throw new Error('a thread did not refuse an invalid body');
  }
}
