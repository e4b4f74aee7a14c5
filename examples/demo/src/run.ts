// `pnpm demo` runs a plan through gateway, policy and executor against a real REST server. It
// prints the result of each step, and exits 0 only if every result is as expected.

import { buildApp as buildGateway } from '@gatehouse/example-gateway/app';
import { readConfig as readGatewayConfig } from '@gatehouse/example-gateway/config';
import { buildApp as buildExecutor } from '@gatehouse/executor-service';
import { readConfig as readExecutorConfig } from '@gatehouse/executor-service/config';
import { buildApp as buildPolicy } from '@gatehouse/policy-service';
import { createLogger } from '@gatehouse/service';
import { playPlan } from './play.ts';
import { startFlakyShop, startShop } from './shop.ts';

const ANY_PORT = { host: '127.0.0.1', port: 0 };
const logger = createLogger('demo', 'error');

await using policy = await buildPolicy({ logger });
// Prevents 503 on a busy machine.
const executorConfig = readExecutorConfig({ MAX_EVENT_LOOP_DELAY_MS: '600000' });
await using executor = await buildExecutor({ config: executorConfig, logger });
const config = readGatewayConfig({
  GATEWAY_POLICY_URL: await policy.listen(ANY_PORT),
  GATEWAY_EXECUTOR_URL: await executor.listen(ANY_PORT),
  GATEWAY_LOG_LEVEL: 'error',
});
await using gateway = buildGateway(config);
await using shop = await startShop();
await using flaky = await startFlakyShop();

process.exitCode = await playPlan({
  gateway: await gateway.listen(ANY_PORT),
  shop: shop.url,
  flaky: flaky.url,
});
