import type { PlanResult } from '@gatehouse/example-gateway';
import { differences, type Line, toLine } from './line.ts';
import { type DemoStep, demoPlan, EXPECTED_STATUS, type Upstreams } from './plan.ts';
import { refundOrder } from './refund.ts';
import { table } from './table.ts';

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

const AS_EXPECTED: readonly Partial<Line>[] = [
  { step: 'ask-for-refund', decision: 'require_approval', outcome: 'awaiting approval' },
  { step: 'approve-refund', outcome: 'approved by alice' },
  { step: 'send-refund', decision: 'allow', outcome: 'success 201', attempts: '1' },
  { step: 'repeat-refund', decision: 'allow', outcome: 'success 201, replayed', attempts: '1' },
  { step: 'raise-refund', outcome: 'refused: DecisionForAnotherAction' },
  { step: 'see-one-refund', decision: 'allow', outcome: 'success 200', attempts: '1' },
];

/** Refunds an order, prints the results, and returns true if they are as expected. */
export async function playRefund(places: Parameters<typeof refundOrder>[0]): Promise<boolean> {
  process.stdout.write(
    `\nA refund, with a policy that signs and an executor that requires its decisions:\n\n`,
  );
  return report(await refundOrder(places), AS_EXPECTED);
}

/** Prints the table and every unexpected result, and returns true if there is none. */
function report(lines: readonly Line[], expected: readonly Partial<Line>[]): boolean {
  process.stdout.write(`${table(lines)}\n`);
  const perLine = expected.map((columns, index) => {
    const line = lines[index];
    return line === undefined ? [`${columns.step}: has no line`] : differences(line, columns);
  });
  const asExpected = perLine.filter((found) => found.length === 0).length;
  process.stdout.write(`${asExpected} of ${expected.length} lines as expected.\n`);
  for (const difference of perLine.flat()) process.stdout.write(`  ${difference}\n`);
  return asExpected === expected.length;
}
