import { POLICY_PATHS } from '@gatehouse/contracts';
import { compileProfile } from '@gatehouse/policy';
import { profileFor } from '@gatehouse/policy/files';
import { addLogFields, ProblemReply, type Server } from '@gatehouse/service';
import { Counter, type Registry } from 'prom-client';
import { approvalsSchema } from '../documentation.ts';
import type { ProfilesInForce } from '../profile-reload.ts';
import type { Signer } from '../signing/signer.ts';

interface ApprovalDeps {
  readonly inForce: ProfilesInForce;
  readonly signer: Signer | undefined;
  readonly registry: Registry;
  readonly approvers: ReadonlySet<string> | undefined;
}

const DEFAULT_VALID_FOR_S = 900;

/** Serves `POST /policy/approvals`, to approvers alone (docs/contract.md, "Approval"). */
export function serveApprovals(app: Server, deps: ApprovalDeps): void {
  const { inForce, signer, registry, approvers = [] } = deps;
  const approvals = new Counter({
    name: 'policy_approvals_total',
    help: 'Approvals given, by approver.',
    labelNames: ['approver'],
    registers: [registry],
  });
  for (const approver of approvers) approvals.inc({ approver }, 0);
  app.post(POLICY_PATHS.approvals, { schema: approvalsSchema }, async (request, reply) => {
    const { approval_request: text, valid_for_s: seconds } = request.body;
    const validForS = seconds ?? DEFAULT_VALID_FOR_S;
    const { caller: approver } = request;
    // Without any token settings, no one is an approver.
    if (approver === undefined) throw new ProblemReply('ApproverRequired');

    const claims = await signer?.read(text, 'approvalRequest');
    if (signer === undefined || claims === undefined || signer.isOver(claims))
      throw new ProblemReply('ApprovalInvalid');

    if (claims.caller === approver) throw new ProblemReply('ApproverRequired');

    const profile = profileFor(inForce.current, claims.caller);
    if (compileProfile(profile).digest !== claims.policy_digest)
      throw new ProblemReply('ApprovalInvalid', OLDER);

    const granted = await signer.approval(text, claims, { by: approver, validForS });
    approvals.inc({ approver });
    const { approval: _, ...shown } = granted;
    addLogFields(request, 'approval', { ...shown, action_digest: claims.action_digest });
    reply.code(201);
    // Sending it here would let Fastify send again what this function returns.
    return granted;
  });
}

const OLDER =
  'Send the check again and approve its new `approval_request`, because the profile has changed since.';
