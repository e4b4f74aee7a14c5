import type { Line } from './line.ts';
import { refundOrder } from './refund.ts';
import { report } from './report.ts';

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
