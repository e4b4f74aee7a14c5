import { type Finding, flood, type Target } from './overload/flood.ts';
import { besetBySlowClients } from './overload/slow-clients.ts';
import { LOAD_CORE, pinLoad } from './support/cores.ts';
import { type Subject, startService, startSubject } from './support/subject.ts';

/**
 * Loads both services with four times what they bear, then with slow clients: `SECONDS`,
 * `SLOW_SECONDS`.
 */
pinLoad();
await using upstream = await startSubject('../overload/slow-upstream.ts', LOAD_CORE);

const check = {
  spend: { amount_minor_units: 8_750, currency: 'EUR' },
  pii: { categories: ['basic_contact'] },
  legal: { flags: [] },
};
const action = {
  method: 'POST',
  url: `${upstream.url}/orders`,
  response_schema: { type: 'object' },
};

/**
 * A modest number of connections, at which each does about all it can; four times as many
 * are beyond the limits that are set for the flood. It bounds what can be shown, too:
 * Node accepts one connection each time it has gone round all those that have sent
 * something, so that a probe on a new one waits for thousands of busy ones.
 */
const CONNECTIONS = 32;
const policyTarget = (subject: Subject): Target => ({
  name: 'policy',
  subject,
  path: '/policy/check',
  body: check,
  connections: CONNECTIONS,
});
const executorTarget = (subject: Subject): Target => ({
  name: 'executor',
  subject,
  path: '/execute',
  body: action,
  connections: CONNECTIONS,
});

function report({ figures, broken }: Finding): void {
  console.log(process.stdout.isTTY ? figures : JSON.stringify(figures));
  for (const rule of broken) console.error(`broken: ${rule}`);
  if (broken.length > 0) process.exitCode = 1;
}

/** One service at a time, so that none takes the time of another. */
async function examine(subject: Subject, examination: () => Promise<Finding>): Promise<void> {
  await using _running = subject;
  report(await examination());
}

const fewInFlight = await startService('policy', { MAX_IN_FLIGHT: '64' });
await examine(fewInFlight, () => flood(policyTarget(fewInFlight)));
const fewSlots = await startService('executor', {
  HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: '64',
  HTTP_EXECUTOR_MAX_WAIT_MS: '50',
});
await examine(fewSlots, () => flood(executorTarget(fewSlots)));

// With the limits as they come, since slow clients are in flight, too.
const policy = await startService('policy');
await examine(policy, () => besetBySlowClients(policyTarget(policy)));
const executor = await startService('executor');
await examine(executor, () => besetBySlowClients(executorTarget(executor)));
console.log(process.exitCode === 1 ? 'verdict: broken' : 'verdict: every rule held');
