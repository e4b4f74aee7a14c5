import { runService } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

await runService({
  name: 'gateway',
  version: manifest.version,
  readConfig,
  build: (config, logger) => buildApp({ config, logger }),
});
