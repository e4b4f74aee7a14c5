import type { PlanResult } from '@gatehouse/example-gateway';
import { differences, toLine } from './line.ts';
import { type DemoStep, demoPlan, EXPECTED_STATUS, type Upstreams } from './plan.ts';
import { table } from './table.ts';

/** Sends the plan to the gateway, prints the results, and returns 0 if they are as expected. */
export async function playPlan({ gateway, ...upstreams }: Upstreams & { gateway: string }) {
  const steps = demoPlan(upstreams);
  process.stdout.write(
    `\nA plan of ${steps.length} steps:\ngateway ${gateway} → policy, executor → shop ${upstreams.shop}\n\n`,
  );
  return report(steps, await post(gateway, steps));
}

async function post(gateway: string, steps: readonly DemoStep[]): Promise<PlanResult> {
  const plan = { plan_id: 'demo', steps: steps.map(({ step }) => step) };
  const response = await fetch(`${gateway}/plans`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(plan),
  });
  if (response.status !== 200)
    throw new Error(`the gateway answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as PlanResult;
}

/** Prints the table and every unexpected result, and returns the exit code. */
function report(steps: readonly DemoStep[], result: PlanResult): number {
  const lines = result.steps.map(toLine);
  process.stdout.write(`${table(lines)}\n`);

  const perLine = steps.map(({ step, expected }, index) => {
    const line = lines[index];
    return line === undefined
      ? [`${step.id}: has no line`]
      : differences(line, { step: step.id, ...expected });
  });
  const asExpected = perLine.filter((found) => found.length === 0).length;
  const ended = result.status === EXPECTED_STATUS ? 'as expected' : `expected ${EXPECTED_STATUS}`;
  process.stdout.write(
    `${asExpected} of ${steps.length} lines as expected; the plan ended as ${result.status} (${ended}).\n`,
  );
  for (const difference of perLine.flat()) process.stdout.write(`  ${difference}\n`);
  return asExpected === steps.length && result.status === EXPECTED_STATUS ? 0 : 1;
}
