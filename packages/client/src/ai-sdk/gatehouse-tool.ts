import type { FlexibleSchema, SingleToolApprovalFunction, Tool } from 'ai';
import type { Approved, Gate, GatedAction, NeedsApproval } from '../index.ts';
import { type Approvals, approvalStatus, approvalsInMemory, declinedCalls } from './approvals.ts';
import { type ToolAnswer, toToolAnswer } from './tool-answer.ts';

export interface GatehouseToolOptions<Input, Context = unknown> {
  readonly gate: Gate;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /** Schema of the arguments that the model may choose. */
  readonly inputSchema: FlexibleSchema<Input>;
  /** Schema of the tool's context, which your application passes to the SDK in `toolsContext`. */
  readonly contextSchema?: FlexibleSchema<Context>;
  /**
   * Returns the action that a tool call requests, and the facts that the policy checks. `context`
   * is what your application, never the model, passed in `toolsContext` for this tool, such as the
   * user and the user's limit. `gated` is called before the approval and again before the
   * execution. An approval becomes invalid if
   * `gated` later returns a different action or different facts, such as a new random key. You can
   * use `toolCallId` as an idempotency key, but then a person may be asked about a declined call
   * again, because each call is a different action.
   */
  readonly gated: (
    input: Input,
    call: { readonly toolCallId: string; readonly context: Context },
  ) => GatedAction | Promise<GatedAction>;
  /**
   * Signs a call that a person has just approved in the SDK, for example with the `approve` of a
   * policy client that has the token of an approver. Called only if the policy signs approvals.
   */
  readonly approve?: (
    approvalRequest: string,
    call: { readonly toolCallId: string; readonly context: Context },
  ) => Approved | Promise<Approved>;
  /** Store of pending approvals. The default store keeps up to 10,000 approvals in memory. */
  readonly approvals?: Approvals;
  /** Milliseconds after which a call that waits for approval is forgotten. Default: one hour. */
  readonly approvalTtlMs?: number;
}

export interface GatehouseTool<Input, Context = unknown> {
  readonly tool: Tool<Input, ToolAnswer, Context>;
  /**
   * Function to pass to the AI SDK in `toolApproval`, with the tool's name as the key. If you do
   * not pass this function, actions that need approval are never executed.
   */
  readonly approval: SingleToolApprovalFunction<Input, Context, unknown>;
}

/**
 * Creates a tool that runs every call through the gate. INVARIANT: the tool executes a call
 * only if the policy allows the call or a person approved it. An approval can be used only once,
 * and only for the same call, action, check and reason.
 * @throws {TypeError} if `approvalTtlMs` is not above 0.
 */
export function gatehouseTool<Input, Context = unknown>(
  options: GatehouseToolOptions<Input, Context>,
): GatehouseTool<Input, Context> {
  const {
    gate,
    gated,
    approvals = approvalsInMemory(),
    approvalTtlMs = HOUR_MS,
    approve: sign = () => true,
    ...shown
  } = options;
  if (!(approvalTtlMs > 0)) throw new TypeError('`approvalTtlMs` must be above 0.');

  return {
    // The SDK calls `approval` for a new call, and again once a person has answered. In the second
    // call, `user-approval` lets the SDK call `execute`, which uses up the approval.
    approval: async (input, { toolCallId, messages, toolContext: context }) => {
      const status = approvalStatus(toolCallId, messages);
      if (status === 'invalid') return NOT_APPROVED;

      // With the action in the check, `gate.check` skips the dry run. A null action is denied.
      const { check, action = null } = Object(await gated(input, { toolCallId, context }));
      const approved = status === 'approved';
      const verdict = await gate.check(
        approved ? { check: { ...check, action } } : { check, action },
      );
      if (verdict.state === 'allowed') return 'not-applicable';

      const { reason } = verdict;
      if (verdict.state !== 'needs_approval') return { type: 'denied', reason };

      if (approved) return { type: 'user-approval', reason };

      const { digest } = verdict;
      for (const declined of declinedCalls(messages))
        if (await approvals.has(approvalKey(declined, digest))) return DECLINED;
      await approvals.add(approvalKey(toolCallId, digest), approvalTtlMs);
      return { type: 'user-approval', reason };
    },
    tool: {
      ...shown,
      execute: async (input: Input, { toolCallId, context, abortSignal: signal }) => {
        const asked = await gated(input, { toolCallId, context });
        const approve = async ({ digest, approvalRequest: request }: NeedsApproval) => {
          const isApproved = await approvals.delete(approvalKey(toolCallId, digest));
          if (!isApproved || request === undefined) return isApproved;
          return await sign(request, { toolCallId, context });
        };
        return toToolAnswer(await gate.run(asked, { approve, signal }));
      },
    },
  };
}

const HOUR_MS = 60 * 60 * 1_000;

const approvalKey = (toolCallId: string, digest: string): string => `${toolCallId} ${digest}`;

const NOT_APPROVED = {
  type: 'denied',
  reason:
    "The message history contains this call but no valid approval for it, or contains an id that is not a string. An approval is valid only if the last message contains a response with the call's approval id and `approved: true`. To ask for approval, call the tool again.",
} as const;

const DECLINED = {
  type: 'denied',
  reason: 'A person has just declined this call, so no one was asked again. Wait for the user.',
} as const;
