import { runService } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { summaries } from './summaries.ts';

await runService({
  name: 'policy',
  version: manifest.version,
  readConfig,
  summaries,
  build: (config, logger, telemetry) => buildApp({ config, logger, telemetry }),
});
