import { problemDocument } from '@gatehouse/contracts';
import { type Handler, reply, type Script, startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { startGateway } from './support/gateway.ts';
import { ALONE, awaiting, SUCCESS, step } from './support/steps.ts';

const RULES = ['spend_limit', 'pii_guardrail', 'legal_compliance'].map((rule) => ({
  ...{ rule, outcome: 'allow', detail: '' },
}));
const problem = problemDocument('InvalidRequest', { detail: 'Why.', requestId: 'r' });
const hang: Handler = () => {};
/** URL at which nothing listens. Port 1, unlike a freed port, is never given to a server. */
const DEAD_URL = 'http://127.0.0.1:1';
/** Returns a short time limit for a service that never answers, and the default for any other. */
const patienceWith = (script: Script | undefined) => (script === hang ? 300 : 20_000);

it.each<[string, Script, RegExp]>([
  ['hangs', hang, /^The policy service .* did not answer within 300 ms/],
  ['refuses the check', { status: 400, body: problem }, /^The policy service refused .*: Why\./],
  ['omits a rule', { body: { decision: 'allow', rules: RULES.slice(1) } }, /unexpected body/],
])('no step runs if the policy service %s', async (_name, behave, message) => {
  await using policy = await startUpstream(behave);
  await using executor = await startExecutor();
  await using gateway = await startGateway(
    { GATEWAY_EXECUTOR_URL: executor.origin, GATEWAY_POLICY_URL: policy.origin },
    { timeoutMs: patienceWith(behave) },
  );
  expect(await gateway.run({ steps: [step('a'), step('b')] })).toMatchObject({
    status: 'failed',
    steps: [
      { state: 'failed', decision: null, rules: [], message: expect.stringMatching(message) },
      { state: 'not_reached' },
    ],
  });
  expect(executor.requests).toEqual([]);
});

it('the plan stops if the policy service fails between two steps', async () => {
  let asked = 0;
  await using policy = await startUpstream((_request, response) => {
    asked += 1;
    if (asked === 1) reply(response, { body: { decision: 'allow', rules: RULES } });
    else response.socket?.destroy();
  });
  await using executor = await startExecutor();
  await using gateway = await startGateway({
    GATEWAY_EXECUTOR_URL: executor.origin,
    GATEWAY_POLICY_URL: policy.origin,
  });
  const { steps } = await gateway.run({ steps: [step('a'), step('b'), step('c')] });
  expect(steps.map(({ state }) => state)).toEqual(['executed', 'failed', 'not_reached']);
  expect(executor.requests).toHaveLength(1);
});

it.each<[string, Script | undefined, RegExp]>([
  ['hangs', hang, /did not answer within 300 ms.* It may have received the request\.$/],
  ['fails', { status: 500, body: SUCCESS }, /status 500.* It may have received the request\.$/],
  ['is down', undefined, /cannot be reached \(ECONNREFUSED\)\. Nothing was sent\.$/],
])('the plan stops if the executor %s', async (_name, behave, message) => {
  await using executor = await startUpstream(behave ?? hang);
  await using gateway = await startGateway(
    { GATEWAY_EXECUTOR_URL: behave === undefined ? DEAD_URL : executor.origin },
    { timeoutMs: patienceWith(behave) },
  );
  expect(await gateway.run({ steps: [awaiting('a'), step('b', ALONE), step('c')] })).toMatchObject({
    status: 'failed',
    steps: [
      { state: 'awaiting_approval' },
      { state: 'failed', decision: 'allow', message: expect.stringMatching(message) },
      { state: 'not_reached' },
    ],
  });
});
