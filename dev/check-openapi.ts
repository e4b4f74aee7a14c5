// Lints the OpenAPI documents of both services, offline.

import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_PATHS } from '@gatehouse/contracts';
import { buildApp as buildExecutor } from '@gatehouse/executor-service';
import { readConfig } from '@gatehouse/executor-service/config';
import { buildApp as buildPolicy } from '@gatehouse/policy-service';
import { createLogger } from '@gatehouse/service';

const logger = createLogger('check', 'error');
const policy = buildPolicy({ logger });
const executor = buildExecutor({ config: readConfig({}), logger });

using folder = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-openapi-'));
for (const [name, app] of Object.entries({ policy, executor })) {
  const document = (await app.inject(SERVICE_PATHS.openapi)).json();
  // On lines, so that findings have a place.
  writeFileSync(join(folder.path, `${name}.json`), JSON.stringify(document, null, 2));
  await app.close();
}
const files = ['policy', 'executor'].map((name) => join(folder.path, `${name}.json`));
// It would tell its makers about the run, and ask for a newer version of itself.
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
const env = { ...process.env, ...quiet };
const { status } = spawnSync('redocly', ['lint', ...files], { stdio: 'inherit', env });
process.exitCode = status ?? 1;
