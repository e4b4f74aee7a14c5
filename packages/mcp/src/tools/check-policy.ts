import { ProblemError, withoutCredentials } from '@gatehouse/client';
import {
  CheckRequest,
  CheckResponse,
  type FixedSections,
  Strict,
  sectionsBeside,
  type Violation,
  withFixedSections,
} from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import type { Policy } from '../backends/policy.ts';
import { argumentsReader, listed } from './arguments.ts';
import { decisionFields } from './log-fields.ts';
import { HONESTY, remedyText } from './remedy.ts';
import { NO_POLICY } from './result-text.ts';
import { type Call, failed, shownSchema, type Tool } from './tool.ts';

const { request_id } = CheckRequest.properties;

/** Leaves the members of an action to the policy, so that the tool's definition stays short. */
const ACTION = Type.Optional(
  Type.Unsafe<CheckRequest['action']>({
    type: ['object', 'null'],
    additionalProperties: true,
    description: 'Request to judge, with the same `method`, `url` and so on as in `http_request`.',
  }),
);

/** Tool `check_policy`, which returns a decision, the reasons, and what the policy would allow. */
export function checkPolicyTool(policy: Policy, facts: FixedSections, logAmounts: boolean): Tool {
  const input = Strict({ request_id, ...sectionsBeside(facts), action: ACTION });
  const read = argumentsReader(input);
  return {
    definition: {
      name: 'check_policy',
      title: 'Check an action against the policy',
      description:
        "Returns whether the policy would allow an action, deny it or require a person's approval, and why. Nothing is sent. State the facts about the action truthfully. Some policies also judge the request itself, in `action`. If the facts are incomplete, the action needs approval.",
      inputSchema: shownSchema(input),
      outputSchema: shownSchema(CheckResponse),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    call: async (given, { requestId, signal, log }) => {
      const checked = read(given ?? {});
      if (!checked.ok) return askForCorrection(checked.violations, log);

      const sent = checked.value as CheckRequest;
      const sections = withFixedSections(sent, facts);
      const planned = sent.action && { action: withoutCredentials(sent.action) };
      const check = { request_id: sent.request_id ?? requestId, ...sections, ...planned };
      const answer = await policy
        .explain(check, { requestId, signal })
        .catch((error: Error) => error);
      if (answer instanceof Error) return withoutDecision(answer, log);

      const { decision, rules, explanation } = answer;
      log(decisionFields(sections, answer, logAmounts));
      const details = rules.map(({ rule, outcome, detail }) => `- ${rule} ${outcome}: ${detail}`);
      const remedy = decision === 'allow' ? undefined : remedyText(explanation);
      const advice = remedy === undefined ? [] : [remedy, HONESTY];
      const text = [`Decision: ${decision}.`, ...details, ...advice].join('\n');
      return {
        content: [{ type: 'text', text }],
        structuredContent: { decision, rules, explanation },
        isError: false,
      };
    },
  };
}

function withoutDecision(error: Error, log: Call['log']) {
  const { errors } = error instanceof ProblemError ? error.problem : {};
  if (errors !== undefined) return askForCorrection(errors, log);

  log({ state: 'denied', error: error.message });
  return failed(
    `The policy gave no decision, so treat the action as denied. ${error.message} ${NO_POLICY}`,
  );
}

function askForCorrection(violations: readonly Violation[], log: Call['log']) {
  log({ state: 'refused', code: 'InvalidRequest' });
  return failed(`Correct the arguments and call again:\n${listed(violations)}`);
}
