import { type Lane, LOAD_CORE, race, report, SERVER_CORE } from './support/race.ts';
import { pin, startSubject } from './support/subject.ts';

if (!pin(process.pid, LOAD_CORE))
  console.error('Without `taskset` all processes share all cores; the ratio says less.');

/** What a planner asks for a typical step: all four sections. */
const body = {
  request_id: 'plan-7/step-3',
  spend: { amount_minor_units: 8_750, currency: 'EUR', user_limit_minor_units: 12_000 },
  pii: { categories: ['basic_contact', 'health'] },
  legal: { flags: ['requires_review'] },
  connector: { scope: 'mcp://calendar' },
};
const lane = { path: '/policy/check', body };

async function enter(servers: AsyncDisposableStack): Promise<Lane[]> {
  const bare = servers.use(await startSubject('bare-route.ts', SERVER_CORE));
  const settings = { POLICY_BIND_ADDR: '127.0.0.1:0' };
  const policy = servers.use(await startSubject('../../services/policy/src/main.ts', SERVER_CORE, settings));
  return [
    { ...lane, name: 'bare Fastify route, a constant', subject: bare },
    { ...lane, name: 'policy service', subject: policy },
  ];
}
report(await race(enter));
