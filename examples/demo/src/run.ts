// `pnpm demo` runs a plan through the gateway, the policy and the executor against a real REST
// server, and then a refund that a person has to approve. The demo prints the result of each step,
// and exits with 0 only if every result is as expected. The shop requires a token that only the
// executor has.

import { randomUUID } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp as buildGateway } from '@gatehouse/example-gateway/app';
import { readConfig as readGatewayConfig } from '@gatehouse/example-gateway/config';
import { buildApp as buildExecutor } from '@gatehouse/executor-service';
import { readConfig as readExecutorConfig } from '@gatehouse/executor-service/config';
import { buildApp as buildPolicy } from '@gatehouse/policy-service';
import { readConfig as readPolicyConfig } from '@gatehouse/policy-service/config';
import { createLogger } from '@gatehouse/service';
import { startBoundServices } from './bound-services.ts';
import { playPlan } from './play-plan.ts';
import { playRefund } from './play-refund.ts';
import { startFlakyShop, startShop } from './shop.ts';

const ANY_PORT = { host: '127.0.0.1', port: 0 };
const logger = createLogger('demo', 'error');

const token = randomUUID();
await using folder = await mkdtempDisposable(join(tmpdir(), 'gatehouse-demo-'));
await using shop = await startShop(ANY_PORT, token);
await using flaky = await startFlakyShop();
const destinationsFile = join(folder.path, 'destinations.json');
const file = {
  destinations: [
    { host: new URL(shop.url).host, credential: 'shop' },
    { host: new URL(flaky.url).host },
  ],
  credentials: { shop: { type: 'bearer', token_file: 'shop-token' } },
};
await writeFile(join(folder.path, 'shop-token'), token, { mode: 0o600 });
await writeFile(destinationsFile, JSON.stringify(file));

// Without this setting, the services answer 503 when the machine is busy.
const withoutShedding = { MAX_EVENT_LOOP_DELAY_MS: '600000' };
await using policy = await buildPolicy({ config: readPolicyConfig(withoutShedding), logger });
const executorSettings = { HTTP_EXECUTOR_DESTINATIONS_FILE: destinationsFile, ...withoutShedding };
const executorConfig = readExecutorConfig(executorSettings);
await using executor = await buildExecutor({ config: executorConfig, logger });
const config = readGatewayConfig({
  GATEWAY_POLICY_URL: await policy.listen(ANY_PORT),
  GATEWAY_EXECUTOR_URL: await executor.listen(ANY_PORT),
  GATEWAY_LOG_LEVEL: 'error',
});
await using gateway = buildGateway(config);

const planIsAsExpected = await playPlan({
  gateway: await gateway.listen(ANY_PORT),
  shop: shop.url,
  flaky: flaky.url,
  fromFile: true,
});

const places = { folder: folder.path, shop: shop.url };
await using bound = await startBoundServices({ ...places, executorSettings, logger });
const refundIsAsExpected = await playRefund({ ...places, ...bound });
process.exitCode = planIsAsExpected && refundIsAsExpected ? 0 : 1;
