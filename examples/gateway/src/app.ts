// An example to copy from: a gateway that asks the policy before every action and lets the
// executor carry out what is allowed. `run-plan.ts` is the sequence.

import {
  createExecutorClient,
  createGate,
  createPolicyClient,
  type Policy,
} from '@gatehouse/client';
import { decisionRecord, evaluatePolicy } from '@gatehouse/policy-engine';
import { createServer, type Logger, type Server } from '@gatehouse/service';
import type { GatewayConfig } from './config.ts';
import { documentation } from './documentation.ts';
import { servePlans } from './routes/plans.ts';

/** Plans hold request bodies: 1 MiB, as much as the executor takes for one action. */
const MAX_REQUEST_BYTES = 1024 * 1024;

/** The same evaluation as the policy service's in this process, with the same record of it. */
const inProcess = (logger: Logger): Policy => ({
  check: (request, { requestId }) => {
    const response = evaluatePolicy(request);
    const record = decisionRecord(request, response);
    logger.info({ request_id: requestId, ...record }, 'check');
    return response;
  },
});

/** The gateway, not listening yet. Closing it closes its connections. */
export function buildApp({ config, logger }: { config: GatewayConfig; logger: Logger }): Server {
  const app = createServer({
    ...config,
    ...{ documentation, logger, maxRequestBytes: MAX_REQUEST_BYTES },
  });
  const executor = createExecutorClient(config.executor);
  const service = config.policy && createPolicyClient(config.policy);
  app.addHook('onClose', async () => {
    await Promise.all([executor.close(), service?.close()]);
  });
  servePlans(app, createGate({ policy: service ?? inProcess(logger), executor }));
  return app;
}
