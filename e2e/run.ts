// `pnpm e2e` tests the whole system in containers, with the local Docker engine.

import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';
import { engineOf } from './support/engine.ts';

const engine = engineOf();
if (engine.found) {
  process.stdout.write(`Engine: ${engine.description}\n`);
  const vitest = await startVitest('test', [], {
    config: fileURLToPath(new URL('./vitest.config.ts', import.meta.url)),
    run: true,
  });
  await vitest.close();
} else {
  process.stderr.write(
    `The end-to-end tests need Docker with \`docker compose\`: ${engine.reason}\n`,
  );
  process.exitCode = 1;
}
