import { setFlagsFromString } from 'node:v8';
import { MAX_LOOKUPS } from '@gatehouse/http-executor';
import { runService } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { terminalLines } from './terminal-lines.ts';

// libuv lets name lookups have half of its threads. It reads this when it makes the first.
process.env.UV_THREADPOOL_SIZE ||= String(2 * MAX_LOOKUPS);

// `--max-old-space-size` is set for this thread, and would override the limits of the others.
setFlagsFromString('--max-old-space-size=0');

// The check of a hostile schema is one huge function: to optimize it takes 100 MiB.
setFlagsFromString('--max-optimized-bytecode-size=24576');

await runService({
  name: 'executor',
  version: manifest.version,
  readConfig,
  terminalLines,
  build: (config, logger, telemetry) => buildApp({ config, logger, telemetry }),
});
