// `pnpm demo`: a planner's plan through gateway, policy and executor against a real REST server, and what became of
// each step. Exits 0 only if every line is as the plan says.

import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanResult } from '@gatehouse/example-gateway';
import { Processes } from '../../../dev/processes.ts';
import { stopRequest } from '../../../dev/stop-request.ts';
import { startFlakyFront } from './flaky-front.ts';
import { differences, lineOf } from './line.ts';
import { type DemoStep, demoPlan, EXPECTED_STATUS } from './plan.ts';
import { startGateway, startShop } from './surroundings.ts';
import { table } from './table.ts';

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
  const [shop, gateway] = await Promise.all([startShop(processes, folder), startGateway(processes)]);
  await using front = await startFlakyFront(shop);
  const steps = demoPlan({ shop, flaky: front.url });
  process.stdout.write(`\nA plan of ${steps.length} steps: gateway ${gateway} → policy, executor → shop ${shop}\n\n`);
  return report(steps, await post(gateway, steps));
}

async function post(gateway: string, steps: readonly DemoStep[]): Promise<PlanResult> {
  const plan = { plan_id: 'demo', steps: steps.map(({ step }) => step) };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${gateway}/plans`, { method: 'POST', headers, body: JSON.stringify(plan) });
  if (response.status !== 200) throw new Error(`the gateway answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as PlanResult;
}

/** Prints the table and what differs from the plan's expectations; the exit code. */
function report(steps: readonly DemoStep[], result: PlanResult): number {
  const colour = process.stdout.isTTY && !process.env.NO_COLOR;
  const lines = result.steps.map(lineOf);
  process.stdout.write(`${table(lines, colour)}\n`);

  const perLine = steps.map(({ step, expected }, index) => {
    const line = lines[index];
    return line === undefined ? [`${step.id}: has no line`] : differences(line, { step: step.id, ...expected });
  });
  const asExpected = perLine.filter((found) => found.length === 0).length;
  const ended = result.status === EXPECTED_STATUS ? 'as expected' : `expected ${EXPECTED_STATUS}`;
  process.stdout.write(
    `${asExpected} of ${steps.length} lines as expected; the plan ended as ${result.status} (${ended}).\n`,
  );
  for (const difference of perLine.flat()) process.stdout.write(`  ${difference}\n`);
  return asExpected === steps.length && result.status === EXPECTED_STATUS ? 0 : 1;
}
