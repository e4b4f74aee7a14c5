// Lints the OpenAPI documents of both services as they answer them, offline.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICE_PATHS } from '@gatehouse/contracts';
import { startOnFreePort } from './free-ports.ts';
import { Processes } from './processes.ts';

const REDOCLY = fileURLToPath(new URL('../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
const CONFIG = fileURLToPath(new URL('../redocly.yaml', import.meta.url));

/** It would tell its makers about the run, and ask for a newer version of itself. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const SERVICES = ['policy', 'executor'] as const;

async function fetchDocument(name: (typeof SERVICES)[number], folder: string): Promise<string> {
  const response = await fetch((await startOnFreePort(processes, name)) + SERVICE_PATHS.openapi);
  const file = join(folder, `${name}.json`);
  // On lines, so that findings have a place.
  writeFileSync(file, JSON.stringify(await response.json(), null, 2));
  return file;
}

const processes = new Processes({ graceMs: 5_000 });
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-openapi-'));
try {
  const files = await Promise.all(SERVICES.map((name) => fetchDocument(name, folder)));
  const linter = [REDOCLY, 'lint', '--config', CONFIG, ...files];
  const { status } = spawnSync(process.execPath, linter, {
    stdio: 'inherit',
    env: { ...process.env, ...QUIET },
  });
  process.exitCode = status ?? 1;
} finally {
  await processes.stop();
  rmSync(folder, { recursive: true });
}
