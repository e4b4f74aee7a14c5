// Preloaded by a test: prints each module that the process loads.

import { registerHooks } from 'node:module';

registerHooks({
  load: (url, context, nextLoad) => {
    process.stderr.write(`module ${url}\n`);
    return nextLoad(url, context);
  },
});
