import { type Received, type Reply, reply, startUpstream } from '@gatehouse/testing';

const RULES = ['spend_limit', 'pii_guardrail', 'legal_compliance'];
const decided = (outcome: string) => ({
  decision: outcome,
  rules: RULES.map((rule) => ({ rule, outcome, detail: `${rule} says ${outcome}.` })),
});

export const SUCCESS = {
  ...{ outcome: 'success', status: 200, headers: {}, body: null, attempts: 1, history: [] },
};

/** Starts a policy service that allows what has the approval `yes`, and signs like a real one. */
export const startSigningPolicy = () =>
  startUpstream(({ url, body }, response) => {
    const { approval } = JSON.parse(body || '{}');
    const answers: Readonly<Record<string, Reply>> = {
      '/policy/check':
        approval === 'yes'
          ? { body: { ...decided('allow'), token: 'decision' } }
          : { body: { ...decided('require_approval'), approval_request: 'request' } },
      '/policy/approvals': {
        status: 201,
        body: {
          ...{ approval: 'yes', approval_id: 'a1', approved_by: 'boss' },
          approved_until: '2026-01-01T00:00:00Z',
        },
      },
      '/policy/keys': { body: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x', kid: 'k' }] } },
    };
    reply(response, answers[url] ?? { status: 404 });
  });

/** Starts an executor with a store, which gives `answers` to executions. The last one repeats. */
export function startKeyedExecutor(
  answers: readonly ((request: Received) => Reply | undefined)[] = [() => ({ body: SUCCESS })],
  idempotency?: boolean,
) {
  const left = [...answers];
  return startUpstream((request, response) => {
    const { method, url } = request;
    if (method === 'GET')
      return reply(
        response,
        idempotency === undefined ? { status: 500 } : { body: { idempotency } },
      );

    if (url.endsWith('dry_run=true'))
      return reply(response, {
        body: {
          ...{ outcome: 'dry_run', would_send: true, method: 'POST', host: 'a.example' },
          ...{ addresses: [], max_attempts: 1, message: '' },
        },
      });

    const answer = (left.length > 1 ? left.shift() : left[0])?.(request);
    if (answer === undefined) response.socket?.destroy();
    else reply(response, answer);
  });
}
