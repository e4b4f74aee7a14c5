import { runService } from '@gatehouse/service';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

await runService({ name: 'gateway', readConfig, build: (config, logger) => buildApp({ config, logger }) });
