import { type Finding, flood, type Target } from './overload/flood.ts';
import { besetBySlowClients } from './overload/slow-clients.ts';
import { LOAD_CORE, SERVER_CORE } from './support/race.ts';
import { pin, startSubject } from './support/subject.ts';

/** Loads both services with four times what they bear, then with slow clients: `SECONDS`, `SLOW_SECONDS`. */
if (!pin(process.pid, LOAD_CORE)) console.error('Without `taskset` the load takes the processor time of the services.');
await using upstream = await startSubject('../overload/slow-upstream.ts', LOAD_CORE);
await using executor = await startSubject('../../services/executor/src/main.ts', SERVER_CORE, {
  HTTP_EXECUTOR_BIND_ADDR: '127.0.0.1:0',
});
await using policy = await startSubject('../../services/policy/src/main.ts', SERVER_CORE, {
  POLICY_BIND_ADDR: '127.0.0.1:0',
});

const check = {
  spend: { amount_minor_units: 8_750, currency: 'EUR' },
  pii: { categories: ['basic_contact'] },
  legal: { flags: [] },
};
const action = { method: 'POST', url: `${upstream.url}/orders`, response_schema: { type: 'object' } };

/** Four times as many connections are more than MAX_IN_FLIGHT, and than the executions for one host. */
const targets: Target[] = [
  { name: 'policy', subject: policy, path: '/policy/check', body: check, connections: 600 },
  { name: 'executor', subject: executor, path: '/execute', body: action, connections: 200 },
];

function report({ figures, broken }: Finding): void {
  console.log(process.stdout.isTTY ? figures : JSON.stringify(figures));
  for (const rule of broken) console.error(`broken: ${rule}`);
  if (broken.length > 0) process.exitCode = 1;
}

for (const target of targets) {
  report(await flood(target));
  report(await besetBySlowClients(target));
}
console.log(process.exitCode === 1 ? 'verdict: broken' : 'verdict: every rule held');
