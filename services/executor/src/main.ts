import { setFlagsFromString } from 'node:v8';
import { runService } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { summaries } from './summaries.ts';

// libuv uses only half of its threads for name lookups, and each lookup may block one for seconds.
// Set the thread count before threads start.
process.env.UV_THREADPOOL_SIZE ||= '32';

// A global `--max-old-space-size` would override the heap limits of worker threads, so unset it.
setFlagsFromString('--max-old-space-size=0');

// A hostile schema can compile to a function so large that V8 would need 1 GiB to optimize it. Let
// V8 optimize only functions with at most 24 KiB of bytecode. V8's compiler Maglev ignores that
// limit, so keep it away from the functions that Ajv compiles, which are all named `validate…`.
setFlagsFromString('--max-optimized-bytecode-size=24576');
setFlagsFromString('--maglev-filter=-validate*');

await runService({
  name: 'executor',
  version: manifest.version,
  readConfig,
  summaries,
  build: (config, logger, telemetry) => buildApp({ config, logger, telemetry }),
});
