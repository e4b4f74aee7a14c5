import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createExecutorClient,
  createGate,
  createPolicyClient,
  type GateResult,
  ProblemError,
} from '@gatehouse/client';
import { gatehouse } from './command.ts';
import type { Line } from './line.ts';

interface Places {
  readonly policy: string;
  readonly executor: string;
  readonly shop: string;
  /** Folder for the approval request. */
  readonly folder: string;
}

const REFUND = { order_id: '2', amount_cents: 24_900 };
const RAISED = { ...REFUND, amount_cents: 99_900 };
const READ_ONE = {
  method: 'GET',
  response_schema: {
    type: 'array',
    maxItems: 1,
    contains: { type: 'object', properties: { amount_cents: { const: REFUND.amount_cents } } },
  },
};

/**
 * Asks for a refund, approves it with the command `gatehouse approve`, and sends it. Then tries to
 * send it again and to raise its amount, and reads what the shop has. Returns a line for each step.
 */
export async function refundOrder({ shop, folder, ...urls }: Places): Promise<Line[]> {
  await using policy = createPolicyClient({ url: urls.policy });
  await using executor = createExecutorClient({ url: urls.executor });
  const gate = createGate({ policy, executor });
  const action = { method: 'POST', url: `${shop}/refunds`, body: REFUND };
  const gated = { check: {}, action };

  const asked = await gate.run(gated);
  const request = join(folder, 'request.jws');
  await writeFile(request, asked.state === 'needs_approval' ? `${asked.approvalRequest}` : '');
  const command = ['approve', request, '--yes', '--policy-url', urls.policy];
  const { approval = '', approved_by } = await gatehouse(...command);

  const options = { approval, idempotencyKey: 'refund-of-order-2' };
  const sent = await gate.run(gated, options);
  const repeated = await gate.run(gated, options);

  const { token: decision } = await policy.check({ action, approval });
  const raised = executor.execute({ ...action, body: RAISED }, { decision });
  const refusal: unknown = await raised.catch((error: unknown) => error);
  const seen = await gate.run({ check: {}, action: { url: action.url, ...READ_ONE } });
  return [
    lineOf('ask-for-refund', asked),
    line('approve-refund', { outcome: `approved by ${approved_by}` }),
    lineOf('send-refund', sent),
    lineOf('repeat-refund', repeated),
    line('raise-refund', {
      outcome: refusal instanceof ProblemError ? `refused: ${refusal.problem.code}` : 'sent',
    }),
    lineOf('see-one-refund', seen),
  ];
}

const NOTHING = { decision: '', rule: '', why: '', outcome: '', attempts: '', ms: '' };

const line = (step: string, rest: Partial<Line>): Line => ({ ...NOTHING, step, ...rest });

function lineOf(step: string, result: GateResult): Line {
  switch (result.state) {
    case 'needs_approval':
      return line(step, {
        decision: 'require_approval',
        why: result.reason,
        outcome: 'awaiting approval',
      });
    case 'executed': {
      const { outcome, replayed } = result;
      const again = replayed ? ', replayed' : '';
      return line(step, {
        decision: 'allow',
        outcome: `${outcome.outcome} ${'status' in outcome ? outcome.status : ''}${again}`,
        attempts: `${outcome.attempts}`,
      });
    }
    default:
      return line(step, { outcome: result.state, why: result.reason });
  }
}
