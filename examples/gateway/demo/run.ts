// `pnpm demo`: a planner's plan through gateway, policy and executor against a real REST
// server, and what became of each step. Exits 0 only if every line is as the plan says.

import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Processes } from '../../../dev/processes.ts';
import { stopRequest } from '../../../dev/stop-request.ts';
import { startFlakyFront } from './flaky-front.ts';
import { playPlan } from './play.ts';
import { startGateway, startShop } from './surroundings.ts';

const GRACE_MS = 5_000;
const INTERRUPTED = 130;

process.exitCode = await main().catch((error: Error) => {
  process.stderr.write(`The demo could not run: ${error.message}\n`);
  return 1;
});

async function main(): Promise<number> {
  const interrupted = stopRequest().then(() => INTERRUPTED);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'gatehouse-demo-'));
  await using processes = new Processes({ graceMs: GRACE_MS });
  return await Promise.race([demo(processes, folder.path), interrupted]);
}

async function demo(processes: Processes, folder: string): Promise<number> {
  const [shop, gateway] = await Promise.all([
    startShop(processes, folder),
    startGateway(processes),
  ]);
  await using front = await startFlakyFront(shop);
  return await playPlan({ gateway, shop, flaky: front.url });
}
