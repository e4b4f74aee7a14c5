import type { Gate, GatedAction, GateResult } from '@gatehouse/client';
import type { ExecutionOutcome } from '@gatehouse/contracts';
import {
  type FlexibleSchema,
  type ModelMessage,
  type SingleToolApprovalFunction,
  type Tool,
  tool,
} from 'ai';
import { type Approvals, approvalKey, approvalsInMemory } from './approvals.ts';

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
      const asked = await gated(input);
      const verdict = await gate.check(asked.check);
      if (verdict.state === 'allowed') return 'not-applicable';
      const { reason } = verdict;
      if (verdict.state === 'denied') return { type: 'denied', reason };
      if (!isAnswered(toolCallId, messages))
        await approvals.add(approvalKey(toolCallId, asked, reason));
      return { type: 'user-approval', reason };
    },
    tool: tool({
      description,
      inputSchema,
      execute: async (input, { toolCallId, abortSignal: signal }) => {
        const asked = await gated(input);
        const approve = async ({ reason }: { readonly reason: string }) =>
          await approvals.delete(approvalKey(toolCallId, asked, reason));
        return answerOf(await gate.run(asked, { approve, signal }));
      },
    }),
  };
}

/**
 * Whether the SDK asks again because the history has a yes to this call. Whoever sent it may
 * have made up the call, too: it does not become one that waits for approval.
 */
function isAnswered(toolCallId: string, messages: readonly ModelMessage[]): boolean {
  const last = messages.at(-1);
  const answers = last?.role === 'tool' ? last.content : [];
  const approved = answers.flatMap((part) =>
    part.type === 'tool-approval-response' && part.approved ? [part.approvalId] : [],
  );
  return messages
    .flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string' ? content : [],
    )
    .filter((part) => part.type === 'tool-approval-request')
    .some((asked) => asked.toolCallId === toolCallId && approved.includes(asked.approvalId));
}

function answerOf(result: GateResult): ToolAnswer {
  const { state, requestId } = result;
  if (state === 'executed') return { state, requestId, outcome: result.outcome };
  const answer = { state, requestId, reason: result.reason };
  return state === 'unanswered' ? { ...answer, maybeSent: result.maybeSent } : answer;
}
