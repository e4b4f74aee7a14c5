import { type ProblemCode, problemDocument } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
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
const patienceWith = (behave: Behaviour) => (behave === hang ? 300 : 20_000);

describe('without a usable answer of the policy, no step runs', () => {
  it.each<[string, Behaviour, RegExp]>([
    ['hangs', hang, /did not answer within 300 ms/],
    ['cuts the connection', cutOff, /cannot be reached \(UND_ERR_SOCKET\)/],
    ['refuses the check', problem('InvalidRequest'), /the request with InvalidRequest: Why\./],
    [
      'omits a rule',
      answering(200, { decision: 'allow', rules: RULES.slice(1) }),
      /unexpected body/,
    ],
  ])('when it %s', async (_name, behave, message) => {
    await using policy = await standIn(behave);
    await using executor = await standIn(answering(200, SUCCESS));
    await using gateway = await startGateway(
      { GATEWAY_EXECUTOR_URL: executor.url, GATEWAY_POLICY_URL: policy.url },
      { timeoutMs: patienceWith(behave) },
    );
    const { status, steps } = await gateway.run({ steps: [step('a'), step('b')] });
    expect(status).toBe('failed');
    expect(steps[0]).toMatchObject({
      state: 'failed',
      decision: null,
      rules: [],
      message: expect.stringMatching(message),
    });
    expect(steps[0]?.message).toMatch(/^The policy service /);
    expect(steps[1]).toMatchObject({ state: 'not_reached' });
    // A check is retried if its connection fails.
    expect(policy.received.length).toBe(behave === cutOff ? 3 : 1);
    expect(executor.received).toEqual([]);
  });

  it('when it is down', async () => {
    await using executor = await standIn(answering(200, SUCCESS));
    await using gateway = await startGateway({
      GATEWAY_EXECUTOR_URL: executor.url,
      GATEWAY_POLICY_URL: DEAD_URL,
    });
    const { status, steps } = await gateway.run({ steps: [step('a'), step('b')] });
    expect([status, ...steps.map(({ state }) => state)]).toEqual([
      'failed',
      'failed',
      'not_reached',
    ]);
    expect(steps[0]?.message).toMatch(/cannot be reached \(ECONNREFUSED\)\. Nothing was sent\.$/);
    expect(executor.received).toEqual([]);
  });

  it('stops between two steps', async () => {
    let asked = 0;
    await using policy = await standIn((request, response) => {
      asked += 1;
      (asked === 1 ? answering(200, { decision: 'allow', rules: RULES }) : cutOff)(
        request,
        response,
      );
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
});

describe('without a usable answer of the executor, the plan stops', () => {
  it.each<[string, Behaviour, RegExp]>([
    ['hangs', hang, /did not answer within 300 ms/],
    ['cuts the connection', cutOff, /cannot be reached \(UND_ERR_SOCKET\)/],
    ['fails', answering(500, SUCCESS), /status 500/],
  ])('when it %s', async (_name, behave, message) => {
    await using executor = await standIn(behave);
    await using gateway = await startGateway(
      { GATEWAY_EXECUTOR_URL: executor.url },
      { timeoutMs: patienceWith(behave) },
    );
    const { status, steps } = await gateway.run({ steps: [step('a'), awaiting('b'), step('c')] });
    expect([status, ...steps.map(({ state }) => state)]).toEqual([
      'failed',
      'failed',
      'not_reached',
      'not_reached',
    ]);
    expect(steps[0]).toMatchObject({ decision: 'allow', message: expect.stringMatching(message) });
    expect(steps[0]?.message).toMatch(/ It may have received the request\.$/);
    expect(executor.received).toHaveLength(1);
  });

  it('when it is down, and says that nothing was sent', async () => {
    await using gateway = await startGateway({ GATEWAY_EXECUTOR_URL: DEAD_URL });
    const { status, steps } = await gateway.run({ steps: [awaiting('a'), step('b'), step('c')] });
    expect([status, ...steps.map(({ state }) => state)]).toEqual([
      'failed',
      'awaiting_approval',
      'failed',
      'not_reached',
    ]);
    expect(steps[1]?.message).toMatch(/cannot be reached \(ECONNREFUSED\)\. Nothing was sent\.$/);
  });
});
