import { type ApprovalClaims, strictest } from '@gatehouse/contracts';
import type { Check, Evaluation } from '@gatehouse/policy';
import { ProblemReply } from '@gatehouse/service';
import { checkDigest, type Decided, type Signer } from './signer.ts';

/** Decision that may rest on an approval, and what the service signs for it. */
export interface BoundDecision {
  readonly evaluation: Evaluation;
  readonly approvalId?: string;
  readonly signed: { readonly token?: string; readonly approval_request?: string };
}

/** An action above this size, as JSON without spaces, cannot be approved. */
const MAX_APPROVABLE_BYTES = 64 * 1024;

/**
 * Applies the approval in a check, and signs the decision (docs/contract.md, "Decision token" and
 * "Approval"):
 * 1. A forged approval is a problem.
 * 2. A genuine approval that fits lifts the outcomes that it names. Any other changes nothing.
 * 3. If the action is then allowed, the result has a token, and if it needs approval, a request.
 * @throws {ProblemReply} `ApprovalInvalid`
 */
export async function bindDecision(
  check: Check,
  evaluated: Evaluation,
  caller: string | undefined,
  signer: Signer | undefined,
): Promise<BoundDecision> {
  const approval =
    check.approval == null ? undefined : await verifyApproval(check.approval, signer);
  const { action } = check;
  if (signer === undefined) return { evaluation: evaluated, signed: {} };

  const misfit = approval && misfitOf(approval, { check, evaluated, caller }, signer);
  const note = misfit && `The approval changes nothing: ${misfit}`;
  const lifted =
    approval && misfit === undefined ? lift(evaluated, approval) : noted(evaluated, note);
  if (action === undefined) return { evaluation: lifted, signed: {} };

  const decided: Decided = { check, action, evaluation: lifted, caller };
  if (lifted.decision === 'allow') {
    const used = lifted === evaluated ? undefined : approval;
    const token = await signer.decisionToken(decided, used);
    return { evaluation: lifted, signed: { token }, ...(used && { approvalId: used.approval_id }) };
  }
  if (lifted.decision === 'deny') return { evaluation: lifted, signed: {} };

  if (Buffer.byteLength(JSON.stringify(action.json)) > MAX_APPROVABLE_BYTES)
    return { evaluation: noted(lifted, TOO_LARGE), signed: {} };

  return {
    evaluation: lifted,
    signed: { approval_request: await signer.approvalRequest(decided) },
  };
}

const TOO_LARGE = `The action is too large to be approved: it has more than ${MAX_APPROVABLE_BYTES} bytes.`;

/** Verifies an approval. @throws {ProblemReply} for a forgery, or without a signing key */
async function verifyApproval(text: string, signer: Signer | undefined): Promise<ApprovalClaims> {
  const claims = await signer?.read(text, 'approval');
  if (claims === undefined) throw new ProblemReply('ApprovalInvalid');
  return claims;
}

interface Judged {
  readonly check: Check;
  readonly evaluated: Evaluation;
  readonly caller: string | undefined;
}

/** Says why an approval does not fit a check, or returns undefined. */
function misfitOf(
  approval: ApprovalClaims,
  { check, evaluated, caller }: Judged,
  signer: Signer,
): string | undefined {
  if (signer.isOver(approval)) return 'approval_expired';
  if (approval.policy_digest !== evaluated.digest) return 'approval_other_profile';
  if (approval.check_digest !== checkDigest(check)) return 'approval_other_check';
  if (approval.action_digest !== check.action?.digest) return 'approval_other_action';
  return approval.caller === caller ? undefined : 'approval_other_caller';
}

/** Turns the outcomes that an approval names into `allow`, but never a `deny`. */
function lift(evaluation: Evaluation, approval: ApprovalClaims): Evaluation {
  const { approved_by: by, approved_until: until } = approval;
  const rules = evaluation.rules.map((result) => {
    const isLifted = result.outcome === 'require_approval' && approval.rules.includes(result.rule);
    if (!isLifted) return result;
    const detail = `${result.detail} Approved by ${by} until ${until}.`;
    return { ...result, outcome: 'allow', code: 'approved', detail } as const;
  });
  return withRules(evaluation, rules);
}

/** Appends a note to the detail of each rule that decided. */
function noted(evaluation: Evaluation, note: string | undefined): Evaluation {
  if (note === undefined || evaluation.decision === 'allow') return evaluation;
  const rules = evaluation.rules.map((result) =>
    result.outcome === evaluation.decision
      ? { ...result, detail: `${result.detail} ${note}` }
      : result,
  );
  return withRules(evaluation, rules);
}

const withRules = (evaluation: Evaluation, rules: Evaluation['rules']): Evaluation => {
  const decision = strictest(rules.map(({ outcome }) => outcome));
  return { ...evaluation, rules, decision };
};
