import { generateKeyPairSync, sign } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { actionDigest } from '@gatehouse/contracts/action';
import { freePort, startGatedUpstream, startUpstream } from '@gatehouse/testing';
import { importJWK } from 'jose';
import { expect, it } from 'vitest';
import type { DecisionRules, EffectStore } from '../src/index.ts';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const key = (await importJWK(publicKey.export({ format: 'jwk' }), 'Ed25519')) as CryptoKey;
const decisions: DecisionRules = {
  keys: { isUsable: true, find: async () => key },
  issuer: 'gatehouse-policy',
  namesCallers: false,
};

/** Decision token for a GET request. */
function tokenFor(url: string, exp: number): string {
  const digest = actionDigest({ method: 'GET', url: new URL(url) });
  const header = { alg: 'Ed25519', typ: 'gatehouse-decision+jwt', kid: 'k1' };
  const payload = {
    ...{ iss: 'gatehouse-policy', aud: 'gatehouse-executor', iat: exp - 60, exp },
    ...{ jti: crypto.randomUUID(), policy_digest: 'd', action_digest: digest.ok && digest.value },
  };
  const text = [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

it('a token that expires while it waits for a slot is refused', async () => {
  await using upstream = await startGatedUpstream();
  const clock = fakeClock();
  await using executor = await startExecutor({
    ...{ decisions, clock, maxExecutionsPerHost: 1, maxWaitMs: 10_000 },
  });
  const action = { method: 'GET', url: `${upstream.origin}/` };
  const now = clock.date().getTime() / 1_000;
  const first = executor.text(action, { decision: tokenFor(action.url, now + 60) });
  await expect.poll(() => upstream.held.length).toBe(1);

  const read = Promise.withResolvers<void>();
  const waiting = executor.text(action, {
    decision: tokenFor(action.url, now - 30),
    onDecision: () => read.resolve(),
  });
  waiting.catch(() => undefined);
  await read.promise;
  // Until the execution waits for its slot, only microtasks follow.
  await setImmediate();
  clock.pass(1_000);
  upstream.open();
  expect(await first).toContain('success');
  await expect(waiting).rejects.toMatchObject({ code: 'DecisionExpired' });
  expect(upstream.requests).toHaveLength(1);
});

/** Store whose claims are lost as soon as `isHeld` returns false. Notes how claims end. */
function storeOf(isHeld: () => boolean, ends: string[] = []): EffectStore {
  const end = (name: string) => async () => void ends.push(name);
  const claim = {
    ...{ isHeld, settle: end('settle') },
    ...{ release: end('release'), abandon: end('abandon') },
  };
  return { find: async () => undefined, claim: async () => ({ ok: true, value: claim }) };
}

it.each([
  ['before its first request', 0, 'Nothing was sent.'],
  ['after a redirect', 1, 'may have acted on the request.'],
])('an execution that loses its claim %s sends nothing more', async (_name, sent, message) => {
  await using upstream = await startUpstream({ status: 307, headers: { location: '/next' } });
  const store = storeOf(() => upstream.requests.length < sent);
  await using executor = await startExecutor({ store });
  const action = { method: 'POST', url: `${upstream.origin}/`, body: {} };
  expect(await executor.outcome(action, { key: 'k' })).toMatchObject({
    outcome: 'failure',
    error: 'ConnectFailure',
    message: expect.stringContaining(message),
  });
  expect(upstream.requests).toHaveLength(sent);
});

it.each([
  ['abandons its claim if it has sent something', true, 'abandon'],
  ['releases its claim if it has sent nothing', false, 'release'],
])('an execution that fails without an outcome %s', async (_name, isSent, end) => {
  await using upstream = await startUpstream();
  const ends: string[] = [];
  await using executor = await startExecutor({ store: storeOf(() => true, ends) });
  const url = isSent ? upstream.origin : `http://127.0.0.1:${await freePort()}`;
  const ended = () => {
    throw new Error('a mistake');
  };
  const execution = executor.outcome(
    { method: 'POST', url },
    { key: 'k', observe: () => ({ ended }) },
  );
  await expect(execution).rejects.toThrow('a mistake');
  expect(ends).toEqual([end]);
});
