import { createServer } from 'node:net';
import type { CheckResponse } from '@gatehouse/contracts';
import {
  authority,
  certificate,
  type Handler,
  type Script,
  startUpstream,
} from '@gatehouse/testing';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { createGate, createPolicyClient, NoAnswerError, ProblemError } from '../src/index.ts';

const REQUEST = { pii: { categories: [] }, legal: { flags: [] } };
const allow = (rule: string) => ({ rule, outcome: 'allow', detail: '' });
const RULES = ['spend_limit', 'pii_guardrail', 'legal_compliance'].map(allow);
const ALLOW = { decision: 'allow', rules: RULES };
const CONNECTOR = allow('connector_scope');
const DENIES = { ...allow('spend_limit'), outcome: 'deny' };
const NO_DETAIL = { rule: 'spend_limit', outcome: 'allow' };
const problem = (status: number, code: string) => ({
  ...{ type: '/problems/x', title: code, status, detail: 'Try later.', code, request_id: 'r' },
});

const hang: Handler = () => {};
const cutOff: Handler = (_request, response) => response.socket?.destroy();
const half: Handler = (_request, response) => {
  const text = JSON.stringify(ALLOW);
  response.writeHead(200, { 'content-length': text.length }).write(text.slice(0, -2));
};
const halfAndGone: Handler = (request, response) => {
  half(request, response);
  setImmediate(() => response.socket?.destroy());
};
const body = (document: unknown): Script => ({ body: JSON.stringify(document) });

/** An `allow` response of exactly this many bytes. */
const ofBytes = (bytes: number) => {
  const withDetail = (detail: string) => {
    const [first, ...others] = RULES;
    return JSON.stringify({ ...ALLOW, rules: [{ ...first, detail }, ...others] });
  };
  return withDetail('x'.repeat(bytes - withDetail('').length));
};
const endless: Handler = (_request, response) => {
  const more = () => {
    while (response.write(Buffer.alloc(64 * 1024, ' ')));
  };
  response.on('drain', more);
  more();
};

const NOT_READY = problem(503, 'NotReady');
const UNKNOWN = problem(503, 'UpstreamUnavailable');
const busy = (document: object, after?: string): Script => {
  const answer = { status: 503, body: document };
  return after === undefined ? answer : { ...answer, headers: { 'retry-after': after } };
};
const rules = (...answered: readonly object[]) => body({ ...ALLOW, rules: answered });

/**
 * Faulty behaviours of a policy service, each with the expected reason in the client's error and
 * the number of requests per call (default: 1).
 */
const FAULTS: readonly [string, Script, string, number?][] = [
  ['hangs', hang, 'timeout'],
  ['sends half an answer, then nothing', half, 'timeout'],
  ['sends half an answer, and closes', halfAndGone, 'unreachable', 3],
  ['cuts the connection', cutOff, 'unreachable', 3],
  ['is a web page', { body: '<h1>It works</h1>' }, 'unusable'],
  ['sends garbage', { body: Buffer.from([0xff, 0x00, 0x7b]) }, 'unusable'],
  ['answers null', body(null), 'unusable'],
  ['gives no rules', body({ decision: 'allow' }), 'unusable'],
  ['answers by two rules of three', rules(...RULES.slice(0, 2)), 'unusable'],
  ['answers by one rule three times', rules(...RULES.map(() => allow('spend_limit'))), 'unusable'],
  ['answers by one rule twice besides', rules(...RULES, allow('spend_limit')), 'unusable'],
  ['answers by an additional unknown rule', rules(...RULES, allow('x')), 'unusable'],
  ['answers on a connector that was not stated', rules(...RULES, CONNECTOR), 'unusable'],
  [
    'denies, and allows',
    { body: JSON.stringify(ALLOW).replace('"decision"', '"decision":"deny","decision"') },
    'unusable',
  ],
  [
    'repeats the outcome of a rule',
    { body: JSON.stringify(ALLOW).replace('"outcome"', '"outcome":"deny","outcome"') },
    'unusable',
  ],
  ['has an unknown member', body({ ...ALLOW, unless: 'x' }), 'unusable'],
  ['gives a byte more than it may', { body: ofBytes(256 * 1024 + 1) }, 'unusable'],
  ['gives more than fits into memory', endless, 'unusable'],
  ['gives an unknown decision', body({ ...ALLOW, decision: 'probably' }), 'unusable'],
  ['allows beside a rule that denies', rules(...RULES.slice(1), DENIES), 'unusable'],
  ['gives an unknown outcome', rules(...RULES.slice(1), { ...DENIES, outcome: 'ok' }), 'unusable'],
  ['gives a rule without detail', rules(...RULES.slice(1), NO_DETAIL), 'unusable'],
  ['allows with 201', { status: 201, body: ALLOW }, 'unusable'],
  ['redirects', { status: 302, headers: { location: '/allow' }, body: ALLOW }, 'unusable'],
  ['allows with 404', { status: 404, body: ALLOW }, 'unusable'],
  ['fails with an allow', { status: 500, body: ALLOW }, 'failed'],
  ['fails with a problem', { status: 500, body: problem(500, 'InternalError') }, 'failed'],
  ['is behind a proxy that fails', { status: 502, body: 'Bad Gateway' }, 'failed'],
  ['is behind a proxy that is busy', busy(ALLOW, '0'), 'failed', 3],
  ['is busy', busy(NOT_READY, '0'), 'NotReady', 3],
  ['is busy for longer than the deadline', busy(NOT_READY, '60'), 'NotReady'],
  ['is busy beyond the deadline after a first wait', busy(NOT_READY, '11'), 'NotReady', 2],
  ['is busy and does not say how long', busy(NOT_READY), 'NotReady'],
  ['refuses the token', { status: 401, body: problem(401, 'Unauthorized') }, 'Unauthorized'],
  ['refuses it', { status: 400, body: problem(400, 'InvalidRequest') }, 'InvalidRequest'],
  ['refuses with another status', { status: 400, body: problem(401, 'Unauthorized') }, 'unusable'],
  ['is behind a proxy with problems of its own', busy(UNKNOWN, '0'), 'failed', 3],
  ['refuses it with an unknown code', { status: 400, body: problem(400, 'X') }, 'unusable'],
  ['refuses it with a code of another status', busy(problem(503, 'InvalidRequest')), 'failed'],
];

const reasonOf = (error: unknown): string => {
  if (error instanceof ProblemError) return error.problem.code;
  return error instanceof NoAnswerError ? error.reason : `not one of ours: ${error}`;
};

/** An executor that must never be called. */
const executor = {
  execute: () => {
    throw new Error('executed');
  },
};

async function expectDenied([what, script, reason, asked = 1]: (typeof FAULTS)[number]) {
  await using upstream = await startUpstream(script);
  const timeoutMs = reason === 'timeout' ? 500 : 20_000;
  await using policy = createPolicyClient({ url: upstream.origin, timeoutMs });
  const action = { method: 'GET', url: 'http://a.example' };
  const [error, denied, gated] = await Promise.all([
    policy.check(REQUEST).catch((thrown: unknown) => thrown),
    policy.checkOrDeny(REQUEST),
    createGate({ policy, executor }).run({ check: REQUEST, action }),
  ]);
  // Do not count the requests after a timeout, because a busy machine may not have sent them all.
  const times = reason === 'timeout' ? expect.any(Number) : 3 * asked;
  expect([what, reasonOf(error), upstream.requests.length]).toEqual([what, reason, times]);
  expect([what, denied]).toMatchObject([what, { decision: 'deny', rules: [] }]);
  const { retryAfterMs } = error as NoAnswerError;
  expect([what, gated]).toMatchObject([what, { state: 'denied', retryAfterMs }]);
}

describe('without a usable answer from the policy service', () => {
  it('check throws a typed error, while checkOrDeny and the gate deny', async () => {
    await Promise.all(FAULTS.map(expectDenied));
  });

  it('an answer of the maximum size is accepted, with its rules in any order', async () => {
    const reversed = { ...ALLOW, rules: RULES.toReversed() };
    for (const answer of [ofBytes(256 * 1024), JSON.stringify(reversed)]) {
      await using upstream = await startUpstream({ body: answer });
      await using policy = createPolicyClient({ url: upstream.origin });
      expect(await policy.check(REQUEST)).toMatchObject({ decision: 'allow' });
    }
  });

  it('a request with a connector needs an outcome of `connector_scope`', async () => {
    const four = { ...ALLOW, rules: [...RULES, CONNECTOR] };
    for (const [connector, answer, decision] of [
      [{ scope: 'mcp://crm' }, ALLOW, 'deny'],
      [{}, ALLOW, 'deny'],
      [{ scope: 'mcp://crm' }, four, 'allow'],
      [{}, four, 'allow'],
      [null, four, 'deny'],
      [null, ALLOW, 'allow'],
    ] as const) {
      const explanation = { profile: 'p', digest: '', rules: [] };
      await using upstream = await startUpstream({ body: { ...answer, explanation } });
      await using policy = createPolicyClient({ url: upstream.origin });
      const request = { ...REQUEST, connector };
      const checked = await policy.checkOrDeny(request);
      expect([connector, checked.decision]).toEqual([connector, decision]);
      const explained = await policy.explain(request).catch(() => ({ decision: 'deny' }));
      expect([connector, explained.decision]).toEqual([connector, decision]);
      const local = { check: () => answer as CheckResponse };
      const { state } = await createGate({ policy: local, executor }).check({ check: request });
      expect([connector, state]).toEqual([connector, decision === 'deny' ? 'denied' : 'allowed']);
    }
  });

  it('a profile may require approval if a request has no connector', async () => {
    const refused = { ...CONNECTOR, outcome: 'require_approval' };
    const answer = { decision: 'require_approval', rules: [...RULES, refused] };
    await using upstream = await startUpstream({ body: answer });
    await using policy = createPolicyClient({ url: upstream.origin });
    expect(await policy.check(REQUEST)).toEqual(answer);
  });

  it('an answer may have an outcome of `http_action`, which only a check with an action allows', async () => {
    const entry = (outcome: string) => ({ rule: 'http_action', outcome, detail: '' });
    const action = { method: 'GET', url: 'https://a.test/' };
    const answer = (outcome: string, ...more: object[]) => {
      return { decision: outcome, rules: [...RULES, entry(outcome), ...more] };
    };
    for (const [given, sent, decision] of [
      [ALLOW, { action }, 'allow'],
      [answer('allow'), { action }, 'allow'],
      [answer('deny'), { action }, 'deny'],
      [answer('require_approval'), {}, 'require_approval'],
      [answer('allow'), {}, undefined],
      [answer('allow'), { action: null }, undefined],
      [answer('deny', entry('deny')), { action }, undefined],
    ] as const) {
      await using upstream = await startUpstream({ body: given });
      await using policy = createPolicyClient({ url: upstream.origin });
      const checked = await policy.check({ ...REQUEST, ...sent }).catch(() => undefined);
      expect([given, sent, checked?.decision]).toEqual([given, sent, decision]);
    }
  });

  it('a batch with a missing or unknown result is refused', async () => {
    const partial = { ...ALLOW, rules: RULES.slice(1) };
    const twos = [{}, null, partial, problem(400, 'X')].map((other) => [ALLOW, other]);
    for (const results of [[], [ALLOW], [ALLOW, ALLOW, ALLOW], ...twos]) {
      await using upstream = await startUpstream({ body: { results } });
      await using policy = createPolicyClient({ url: upstream.origin });
      const error = await policy.batch([REQUEST, REQUEST]).catch((thrown: unknown) => thrown);
      expect([results, reasonOf(error)]).toEqual([results, 'unusable']);
    }
  });

  it('an invalid check is not sent, and the error says where it is invalid', async () => {
    await using upstream = await startUpstream({ body: ALLOW });
    await using policy = createPolicyClient({ url: upstream.origin });
    const gate = createGate({ policy, executor });
    const spend = { amount_minor_units: 1, currency: 'EUR', user_limit_minor_units: NaN };
    for (const [check, says] of [
      [{ ...REQUEST, spend }, '/user_limit_minor_units` must be a value that JSON can represent'],
      [[], 'must be an object, but is `Array`'],
      [undefined, 'must be an object, but is `Undefined`'],
    ] as unknown as [typeof REQUEST, string][]) {
      const error = { reason: 'unsendable', message: expect.stringContaining(says) };
      expect(await policy.checkOrDeny(check)).toMatchObject({ decision: 'deny', error });
      await expect(policy.explain(check)).rejects.toMatchObject(error);
      expect(await gate.check({ check })).toMatchObject({ state: 'denied', error });
    }
    await expect(policy.batch([{ ...REQUEST, spend }])).rejects.toThrow('/checks/0/spend/user_');
    expect(upstream.requests).toHaveLength(0);
  });

  it('a check is tried three times if nothing listens, and nothing is sent', async () => {
    await using policy = createPolicyClient({ url: 'http://127.0.0.1:1' });
    const message = expect.stringMatching(/cannot be reached \(ECONNREFUSED\)\.$/);
    const unreachable = { reason: 'unreachable', maybeReceived: false, message };
    await expect(policy.check(REQUEST)).rejects.toMatchObject(unreachable);
  });

  it('a connection that is accepted but never answered times out', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await using policy = createPolicyClient({ url: `http://127.0.0.1:${port}`, timeoutMs: 100 });
    expect(reasonOf(await policy.check(REQUEST).catch((thrown) => thrown))).toBe('timeout');
    server.close();
  });

  it('an expired or untrusted certificate is refused', async () => {
    const ca = await authority('client-test');
    const past = { notBeforeDate: new Date('2020-01-01'), notAfterDate: new Date('2020-02-01') };
    for (const [validity, trusted, code] of [
      [past, ca.cert, 'CERT_HAS_EXPIRED'],
      [{}, undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      [{}, ca.cert, undefined],
    ] as const) {
      await using upstream = await startUpstream(
        { body: ALLOW },
        await certificate('s', ca, validity),
      );
      const dispatcher = new Agent({ connect: trusted === undefined ? {} : { ca: trusted } });
      await using policy = createPolicyClient({ url: upstream.origin, dispatcher });
      const verdict = await policy.checkOrDeny(REQUEST);
      expect(verdict.decision).toBe(code === undefined ? 'allow' : 'deny');
      if ('reason' in verdict) expect(verdict.reason).toContain(code);
      await dispatcher.close();
    }
  });

  it('a call rejects as soon as its caller cancels', async () => {
    await using upstream = await startUpstream(hang);
    await using policy = createPolicyClient({ url: upstream.origin });
    const controller = new AbortController();
    const checked = policy.check(REQUEST, { signal: controller.signal }).catch((thrown) => thrown);
    controller.abort();
    expect(reasonOf(await checked)).toBe('aborted');
    expect(
      reasonOf(await policy.check(REQUEST, { signal: AbortSignal.abort() }).catch((e) => e)),
    ).toBe('aborted');
  });
});
