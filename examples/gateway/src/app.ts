// An example to copy from: a gateway that asks the policy before every action and lets the
// executor carry out what is allowed. `run-plan.ts` is the sequence.

import { createServer, type Logger, type Server } from '@gatehouse/service';
import { Agent } from 'undici';
import type { GatewayConfig } from './config.ts';
import { httpExecutor } from './executor-client.ts';
import { httpPolicy, inProcessPolicy } from './policy-client.ts';
import { servePlans } from './routes/plans.ts';

/** Plans hold request bodies: 1 MiB, as much as the executor takes for one action. */
const MAX_REQUEST_BYTES = 1024 * 1024;

/** Above any answer of the executor: those are a few times its response limit of 10 MiB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The gateway, not listening yet. Closing it closes its connections. */
export function buildApp({ config, logger }: { config: GatewayConfig; logger: Logger }): Server {
  const app = createServer({ ...config, logger, maxRequestBytes: MAX_REQUEST_BYTES });
  // Each call has a deadline of its own; undici's timers are too coarse for that.
  const agent = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
  app.addHook('onClose', () => agent.destroy());
  const policy = config.policy === undefined ? inProcessPolicy : httpPolicy(config.policy, agent);
  servePlans(app, { policy, executor: httpExecutor(config.executor, agent) });
  return app;
}
