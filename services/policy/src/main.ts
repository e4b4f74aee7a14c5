import { runService } from '@gatehouse/service';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

await runService({ name: 'policy', readConfig, build: ({ access }, logger) => buildApp({ access, logger }) });
