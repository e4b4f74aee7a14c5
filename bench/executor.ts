import { type Lane, LOAD_CORE, race, report, SERVER_CORE } from './support/race.ts';
import { pin, startSubject } from './support/subject.ts';

const SCHEMA = {
  type: 'object',
  required: ['id', 'name', 'price'],
  properties: {
    id: { type: 'integer', minimum: 1 },
    name: { type: 'string', maxLength: 100 },
    price: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    stock: { type: 'object', additionalProperties: { type: 'integer' } },
  },
};

if (!pin(process.pid, LOAD_CORE))
  console.error('Without `taskset` all processes share all cores; the ratio says less.');
await using upstream = await startSubject('upstream.ts', LOAD_CORE);

const action = { method: 'GET', url: `${upstream.url}/desks/7` };
const lane = { path: '/execute', body: action };
const withSchema = { ...lane, body: { ...action, response_schema: SCHEMA } };

async function enter(servers: AsyncDisposableStack): Promise<Lane[]> {
  const bare = servers.use(await startSubject('bare-executor.ts', SERVER_CORE));
  const settings = { HTTP_EXECUTOR_BIND_ADDR: '127.0.0.1:0' };
  const executor = servers.use(await startSubject('../../services/executor/src/main.ts', SERVER_CORE, settings));
  return [
    { ...lane, name: 'bare Fastify + undici.request', subject: bare },
    { ...lane, name: 'executor', subject: executor },
    { ...withSchema, name: 'executor, with response_schema', subject: executor },
  ];
}
report(await race(enter));
