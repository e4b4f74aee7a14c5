import { randomUUID } from 'node:crypto';
import type { ResponseSchemas, Sandbox } from '@gatehouse/http-executor';

const METADATA_ADDRESS = '169.254.169.254';
const SCHEMA = { type: 'object', required: ['id'] };

/** Rejects unless the sandbox and the schema workers judge as they should. */
export async function selfTest(sandbox: Sandbox, schemas: ResponseSchemas): Promise<void> {
  if (sandbox.mayReach('self-test.example', METADATA_ADDRESS).ok) throw new Error('the sandbox lets metadata through');
  // Anew each time, since a refusal for lack of time would be remembered.
  const check = await schemas.compile({ ...SCHEMA, $comment: randomUUID() });
  const never = new AbortController().signal;
  const valid = await check({ json: { id: 1 }, text: '{"id":1}' }, never);
  const invalid = await check({ json: {}, text: '{}' }, never);
  if (valid.length > 0 || invalid.length === 0) throw new Error('a response schema was judged wrongly');
}
