import { runService } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { terminalLines } from './terminal-lines.ts';

await runService({
  name: 'policy',
  version: manifest.version,
  readConfig,
  terminalLines,
  build: ({ access, load, profileFile, acceptLoosening, logAmounts }, logger, telemetry) =>
    buildApp({ access, load, profileFile, acceptLoosening, logAmounts, logger, telemetry }),
});
