import { type ProblemCode, problemDocument } from '@gatehouse/contracts';
import { expect, it } from 'vitest';
import { startGateway } from './support/gateway.ts';
import { answering, type Behaviour, DEAD_URL, SUCCESS, standIn } from './support/stand-in.ts';
import { awaiting, step } from './support/steps.ts';

const RULES = ['spend_limit', 'pii_guardrail', 'legal_compliance'].map((rule) => ({
  ...{ rule, outcome: 'allow', detail: '' },
}));
const problem = (code: ProblemCode) => {
  const document = problemDocument(code, { detail: 'Why.', requestId: 'r' });
  return answering(document.status, document);
};
const hang: Behaviour = () => {};
const cutOff: Behaviour = (_request, response) => response.socket?.destroy();
/** Returns a short time limit for a service that never answers, and the default for any other. */
const patienceWith = (behave: Behaviour | undefined) => (behave === hang ? 300 : 20_000);

it.each<[string, Behaviour, RegExp]>([
  ['hangs', hang, /^The policy service .* did not answer within 300 ms/],
  ['refuses the check', problem('InvalidRequest'), /^The policy service refused .*InvalidRequest/],
  ['omits a rule', answering(200, { decision: 'allow', rules: RULES.slice(1) }), /unexpected body/],
])('no step runs if the policy service %s', async (_name, behave, message) => {
  await using policy = await standIn(behave);
  await using executor = await standIn(answering(200, SUCCESS));
  await using gateway = await startGateway(
    { GATEWAY_EXECUTOR_URL: executor.url, GATEWAY_POLICY_URL: policy.url },
    { timeoutMs: patienceWith(behave) },
  );
  expect(await gateway.run({ steps: [step('a'), step('b')] })).toMatchObject({
    status: 'failed',
    steps: [
      { state: 'failed', decision: null, rules: [], message: expect.stringMatching(message) },
      { state: 'not_reached' },
    ],
  });
  expect(executor.received).toEqual([]);
});

it('the plan stops if the policy service fails between two steps', async () => {
  let asked = 0;
  await using policy = await standIn((request, response) => {
    asked += 1;
    const allows = answering(200, { decision: 'allow', rules: RULES });
    (asked === 1 ? allows : cutOff)(request, response);
  });
  await using executor = await standIn(answering(200, SUCCESS));
  await using gateway = await startGateway({
    GATEWAY_EXECUTOR_URL: executor.url,
    GATEWAY_POLICY_URL: policy.url,
  });
  const { steps } = await gateway.run({ steps: [step('a'), step('b'), step('c')] });
  expect(steps.map(({ state }) => state)).toEqual(['executed', 'failed', 'not_reached']);
  expect(executor.received).toHaveLength(1);
});

it.each<[string, Behaviour | undefined, RegExp]>([
  ['hangs', hang, /did not answer within 300 ms.* It may have received the request\.$/],
  ['fails', answering(500, SUCCESS), /status 500.* It may have received the request\.$/],
  ['is down', undefined, /cannot be reached \(ECONNREFUSED\)\. Nothing was sent\.$/],
])('the plan stops if the executor %s', async (_name, behave, message) => {
  await using executor = await standIn(behave ?? hang);
  await using gateway = await startGateway(
    { GATEWAY_EXECUTOR_URL: behave === undefined ? DEAD_URL : executor.url },
    { timeoutMs: patienceWith(behave) },
  );
  expect(await gateway.run({ steps: [awaiting('a'), step('b'), step('c')] })).toMatchObject({
    status: 'failed',
    steps: [
      { state: 'awaiting_approval' },
      { state: 'failed', decision: 'allow', message: expect.stringMatching(message) },
      { state: 'not_reached' },
    ],
  });
});
