import { setFlagsFromString } from 'node:v8';
import { MAX_LOOKUPS } from '@gatehouse/http-executor';
import { runService } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { terminalLines } from './terminal-lines.ts';

// Lets name lookups use half of libuv's threads. This must be set before libuv starts its first
// thread.
process.env.UV_THREADPOOL_SIZE ||= String(2 * MAX_LOOKUPS);

// Unsets any global `--max-old-space-size`, because it would override the heap limits of worker
// threads.
setFlagsFromString('--max-old-space-size=0');

// Keeps V8 from optimizing the huge function that a hostile schema compiles to, because that would
// take 100 MiB.
setFlagsFromString('--max-optimized-bytecode-size=24576');

await runService({
  name: 'executor',
  version: manifest.version,
  readConfig,
  terminalLines,
  build: (config, logger, telemetry) => buildApp({ config, logger, telemetry }),
});
