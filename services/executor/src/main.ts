import { runService } from '@gatehouse/service';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

await runService({
  name: 'executor',
  readConfig,
  build: (config, logger, telemetry) => buildApp({ config, logger, telemetry }),
});
