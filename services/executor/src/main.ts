import { SYSTEM_LOOKUPS } from '@gatehouse/http-executor';
import { runService } from '@gatehouse/service';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

// libuv lets name lookups have half of its threads. It reads this when it makes them, for which it is still early enough.
process.env.UV_THREADPOOL_SIZE ||= String(2 * SYSTEM_LOOKUPS.total);

await runService({
  name: 'executor',
  readConfig,
  build: (config, logger, telemetry) => buildApp({ config, logger, telemetry }),
});
