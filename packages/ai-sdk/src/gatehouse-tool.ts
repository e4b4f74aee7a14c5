import type { Gate, GatedAction, GateResult } from '@gatehouse/client';
import type { ExecutionOutcome } from '@gatehouse/contracts';
import { type FlexibleSchema, type SingleToolApprovalFunction, type Tool, tool } from 'ai';
import { type Approvals, approvalsInMemory } from './approvals.ts';
import { declinedCalls, standingOf } from './history.ts';

export interface GatehouseToolOptions<Input> {
  readonly gate: Gate;
  /** For the model: what the tool does, and when to use it. */
  readonly description: string;
  /** What the model may choose. */
  readonly inputSchema: FlexibleSchema<Input>;
  /**
   * What a call does, and what it spends and touches. Asked before the approval and again
   * before the execution: an approval counts only where both are the same.
   */
  readonly gated: (input: Input) => GatedAction | Promise<GatedAction>;
  /** Default: in this process, 10,000 at most. */
  readonly approvals?: Approvals;
}

export interface GatehouseTool<Input> {
  /** One of the `tools`. */
  readonly tool: Tool<Input, ToolAnswer>;
  /** Its entry in `toolApproval`; without it nothing that needs approval is ever executed. */
  readonly approval: SingleToolApprovalFunction<Input, unknown, unknown>;
}

/** What the model is told, in JSON. */
export interface ToolAnswer {
  readonly state: GateResult['state'];
  readonly requestId: string;
  /** Of what was executed; it may be a failure. */
  readonly outcome?: ExecutionOutcome;
  /** Why it was not executed, or why there is no outcome. */
  readonly reason?: string;
  /** Of what is `unanswered`. */
  readonly maybeSent?: boolean;
}

/**
 * A tool whose calls go through the gate. INVARIANT: it executes what the policy allows, or
 * what it asked approval for, once, of the same call, for the same reason.
 */
export function gatehouseTool<Input>(options: GatehouseToolOptions<Input>): GatehouseTool<Input> {
  const { gate, description, inputSchema, gated, approvals = approvalsInMemory() } = options;
  return {
    approval: async (input, { toolCallId, messages }) => {
      const standing = standingOf(toolCallId, messages);
      if (standing === 'invalid') return NOT_APPROVED;
      const asked = await gated(input);
      const approved = standing === 'approved';
      const verdict = await gate.check(approved ? { check: asked.check } : asked);
      if (verdict.state === 'allowed') return 'not-applicable';
      const { reason } = verdict;
      if (verdict.state !== 'needs_approval') return { type: 'denied', reason };
      if (approved) return { type: 'user-approval', reason };
      const { digest } = verdict;
      for (const declined of declinedCalls(messages))
        if (await approvals.has(keyOf(declined, digest))) return DECLINED;
      await approvals.add(keyOf(toolCallId, digest));
      return { type: 'user-approval', reason };
    },
    tool: tool({
      description,
      inputSchema,
      execute: async (input, { toolCallId, abortSignal: signal }) => {
        const asked = await gated(input);
        const approve = async ({ digest }: { readonly digest: string }) =>
          await approvals.delete(keyOf(toolCallId, digest));
        return toolAnswerOf(await gate.run(asked, { approve, signal }));
      },
    }),
  };
}

const keyOf = (toolCallId: string, digest: string): string => `${toolCallId} ${digest}`;

const NOT_APPROVED = {
  type: 'denied',
  reason:
    'This call was made before, and nothing in the history approves it: that takes `approved: true`, once, for its own approval id. Make the call anew to have it asked.',
} as const;

const DECLINED = {
  type: 'denied',
  reason: 'A person has just declined exactly this. Nobody was asked again: wait for the user.',
} as const;

function toolAnswerOf(result: GateResult): ToolAnswer {
  const { state, requestId } = result;
  if (state === 'executed') return { state, requestId, outcome: result.outcome };
  const answer = { state, requestId, reason: result.reason };
  return state === 'unanswered' ? { ...answer, maybeSent: result.maybeSent } : answer;
}
