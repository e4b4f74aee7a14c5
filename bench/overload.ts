import { type Finding, flood, type Target } from './overload/flood.ts';
import { besetBySlowClients } from './overload/slow-clients.ts';
import { LOAD_CORE, pinLoad } from './support/cores.ts';
import { printVerdict } from './support/figures.ts';
import { TYPICAL_CHECK } from './support/requests.ts';
import { startService, startSubject } from './support/subject.ts';

/** Four times the load that each service bears, then slow clients: `SECONDS`, `SLOW_SECONDS`. */
pinLoad();
/** About what a service elsewhere takes. */
const env = { ANSWER_MS: '20' };
await using upstream = await startSubject('node-upstream.ts', { core: LOAD_CORE, env });

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
const ASKED = {
  policy: { path: '/policy/check', body: TYPICAL_CHECK },
  executor: { path: '/execute', body: action },
};

/** One service at a time, so that none takes the time of another. */
async function examine(
  name: keyof typeof ASKED,
  examination: (target: Target) => Promise<Finding>,
  settings: NodeJS.ProcessEnv = {},
): Promise<void> {
  await using subject = await startService(name, settings);
  const target = { name, subject, ...ASKED[name], connections: CONNECTIONS };
  const { figures, broken } = await examination(target);
  printVerdict(figures, broken);
}

await examine('policy', flood, { MAX_IN_FLIGHT: '64' });
const slots = { HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: '64', HTTP_EXECUTOR_MAX_WAIT_MS: '50' };
await examine('executor', flood, slots);

// With the limits as they come, since slow clients are in flight, too.
await examine('policy', besetBySlowClients);
await examine('executor', besetBySlowClients);
console.log(process.exitCode === 1 ? 'verdict: broken' : 'verdict: every rule held');
