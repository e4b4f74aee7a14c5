import { runService } from '@gatehouse/service';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

await runService({
  name: 'policy',
  readConfig,
  build: ({ access, load, logAmounts }, logger, telemetry) => buildApp({ access, load, logAmounts, logger, telemetry }),
});
