import type { PlanResult } from '@gatehouse/example-gateway';
import { toLine } from './line.ts';
import { type DemoStep, demoPlan, EXPECTED_STATUS, type Upstreams } from './plan.ts';
import { report } from './report.ts';

/** Sends the plan to the gateway, prints the results, and returns true if they are as expected. */
export async function playPlan({ gateway, ...upstreams }: Upstreams & { gateway: string }) {
  const steps = demoPlan(upstreams);
  process.stdout.write(
    `\nA plan of ${steps.length} steps:\ngateway ${gateway} → policy, executor → shop ${upstreams.shop}\n\n`,
  );
  const result = await post(gateway, steps);
  const expected = steps.map(({ step, ...rest }) => ({ step: step.id, ...rest.expected }));
  const asExpected = report(result.steps.map(toLine), expected);
  const ended = result.status === EXPECTED_STATUS ? 'as expected' : `expected ${EXPECTED_STATUS}`;
  process.stdout.write(`The plan ended as ${result.status} (${ended}).\n`);
  return asExpected && result.status === EXPECTED_STATUS;
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
