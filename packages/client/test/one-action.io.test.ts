import type { ActionArguments, ExecutionOutcome } from '@gatehouse/contracts';
import { checkPolicy } from '@gatehouse/policy';
import { shared, startService, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { approvalDigest, createExecutorClient, createGate, type Policy } from '../src/index.ts';

const policy: Policy = {
  check: (request) => {
    const checked = checkPolicy(request);
    if (!checked.ok) throw new Error(JSON.stringify(checked.violations));
    return checked.response;
  },
};

/** An action that is mutable at every level. */
interface Mutable {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

const actionOn = (origin: string): Mutable => ({
  method: 'POST',
  url: `${origin}/orders`,
  headers: { 'x-note': 'asked' },
  body: { product: 7 },
});

/** Returns a body that `JSON.stringify` writes differently each time. */
function drifting() {
  let times = 0;
  return { toJSON: () => ({ product: 7 + times++ }) };
}

/** Changes an action at every level. */
function spoil(action: Mutable): void {
  action.body.product = 666;
  action.headers['x-note'] = 'evil';
  Object.assign(action, { method: 'DELETE', url: `${action.url}/evil`, body: {}, headers: {} });
}

describe('the checked action is the one that is sent', () => {
  const shop = shared(() => startUpstream());
  const service = shared(() =>
    startService('executor', { HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop().port}` }),
  );
  const sent = () => {
    const { method, url, headers, body } = shop().requests.at(-1) ?? {};
    return { method, url, note: headers?.['x-note'], body };
  };
  const asJudged = { method: 'POST', url: '/orders', note: 'asked', body: '{"product":7}' };

  it('even if `approve` changes the original', async () => {
    await using executor = createExecutorClient({ url: service().url });
    const gate = createGate({ policy, executor });
    const action = actionOn(shop().origin);
    const shown: object[] = [];
    const approve = async (_pending: object, gated: object) => {
      spoil(action);
      shown.push(gated);
      return true;
    };
    const before = shop().requests.length;
    const { state } = await gate.run({ check: {}, action }, { approve });
    expect(state).toBe('executed');
    expect(shop().requests.length - before).toBe(1);
    expect(sent()).toEqual(asJudged);
    expect(shown).toEqual([{ check: {}, action: actionOn(shop().origin) }]);
  });

  it('even if `toJSON` returns a new value on each call', async () => {
    await using client = createExecutorClient({ url: service().url });
    const seen: unknown[] = [];
    const executor = {
      execute: client.execute,
      dryRun: (...call: Parameters<typeof client.dryRun>) => {
        seen.push(call[0].body);
        return client.dryRun(...call);
      },
    };
    const action = { ...actionOn(shop().origin), body: drifting() };
    const approve = (_pending: object, gated: { action: ActionArguments }) => {
      seen.push(gated.action.body);
      return true;
    };
    await createGate({ policy, executor }).run({ check: {}, action }, { approve });
    expect(seen).toEqual([{ product: 7 }, { product: 7 }]);
    expect(sent()).toEqual(asJudged);
  });

  it('even if the caller reuses the object as soon as `run` is called', async () => {
    await using executor = createExecutorClient({ url: service().url });
    const gate = createGate({ policy, executor });
    const action = actionOn(shop().origin);
    const runs = [1, 2, 3].map((product) => {
      action.body.product = product;
      return gate.run({ check: {}, action }, { approve: () => true });
    });
    await Promise.all(runs);
    const { requests } = shop();
    const bodies = requests.slice(-3).map(({ body }) => body);
    expect(bodies.toSorted()).toEqual([1, 2, 3].map((product) => JSON.stringify({ product })));
  });
});

const OUTCOME: ExecutionOutcome = {
  ...{ outcome: 'success', status: 200, headers: {}, body: null, attempts: 1, history: [] },
};

it('`approve` gets a deeply frozen action that matches the digest', async () => {
  const gate = createGate({ policy, executor: { execute: async () => OUTCOME } });
  const action = { ...actionOn('http://a.example'), body: { a: [{ b: 1 }] } };
  const gated = { check: {}, action };
  const { state } = await gate.run(gated, {
    approve: ({ reason, digest }, shown) => {
      expect(digest).toBe(approvalDigest(gated, reason));
      for (const part of [shown, shown.check, shown.action, shown.action.headers])
        expect(Object.isFrozen(part)).toBe(true);
      const body = shown.action.body as typeof action.body;
      expect(Object.isFrozen(body.a[0])).toBe(true);
      return true;
    },
  });
  expect(state).toBe('executed');
  expect(await gate.check(gated)).toMatchObject({ digest: expect.stringMatching(/^[\da-f]{64}$/) });
});

it('an action that JSON cannot represent exactly is neither checked nor sent', async () => {
  const never = () => {
    throw new Error('called');
  };
  const gate = createGate({ policy: { check: never }, executor: { execute: never } });
  const round: unknown[] = [];
  round.push(round);
  const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
  const lossy = {
    ...{ NaN, '-Infinity': -Infinity, BigInt: 1n, Function: String, Symbol: Symbol.iterator },
    ...{ Map: new Map(), 'Invalid Date': new Date(NaN), Undefined: undefined },
  };
  const valid = { method: 'POST', url: 'http://a.example' };
  for (const [action, says] of [
    [{ ...valid, body: round }, 'circular'],
    [{ ...valid, body: raw('12345678901234567890') }, 'more digits than a double can represent;'],
    ...Object.entries(lossy).map(([kind, value]) => [
      { ...valid, body: [0, value] },
      `\`/action/body/1\` must be a value that JSON can represent, but is \`${kind}\`.`,
    ]),
    [[], '`/action` must be an object, but is `Array`'],
    [undefined, '`/action` must be an object, but is `Undefined`'],
  ] as unknown as [ActionArguments, string][]) {
    const result = await gate.run({ check: {}, action }, { approve: never });
    expect(result).toMatchObject({ state: 'denied', error: { reason: 'unsendable' } });
    expect(Object(result).reason).toContain(says);
    expect(Object(result).reason).toMatch(/Nothing was checked or sent\.$/);
  }
  const reason = expect.stringContaining('`/check` must be an object');
  for (const call of [gate.run, gate.check])
    expect(await call(undefined as never)).toMatchObject({ state: 'denied', reason });
  const approving = gate.run({ check: {}, action: valid }, { approve: true as never });
  await expect(approving).rejects.toThrow('`approve` must be a function');
});

describe('a run that is aborted before `approve` answers', () => {
  const action = { method: 'GET', url: 'http://a.example' };
  const never = () => {
    throw new Error('executed');
  };
  const gate = createGate({ policy, executor: { execute: never } });

  it('rejects immediately with the reason of the signal', async () => {
    const controller = new AbortController();
    const approve = () => {
      controller.abort(new Error('gone home'));
      return new Promise<boolean>(() => {});
    };
    const { signal } = controller;
    await expect(gate.run({ check: {}, action }, { approve, signal })).rejects.toThrow('gone home');
  });

  it('executes nothing, even if `approve` returns `true` later', async () => {
    const controller = new AbortController();
    let answer = (_yes: boolean) => {};
    const approve = () =>
      new Promise<boolean>((resolve) => {
        answer = resolve;
        controller.abort();
      });
    const { signal } = controller;
    await expect(gate.run({ check: {}, action }, { approve, signal })).rejects.toThrow(/abort/i);
    answer(true);
  });

  it('rejects with the error that `approve` throws', async () => {
    const { signal } = new AbortController();
    const approve = () => Promise.reject(new Error('the dialog broke'));
    await expect(gate.run({ check: {}, action }, { approve, signal })).rejects.toThrow('broke');
  });
});
