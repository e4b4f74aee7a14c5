import type { ElicitResult } from '@modelcontextprotocol/client';
import { afterEach, expect, it, vi } from 'vitest';
import { ANSWER_MS, Approvals, MAX_QUESTIONS } from '../src/approval.ts';

const [DIGEST, OTHER] = ['digest of an action', 'digest of another'];

const { signal } = new AbortController();
const round = (state: unknown, approval?: object) => ({
  signal,
  round: {
    requestState: <T>() => state as T | undefined,
    ...(approval !== undefined && { inputResponses: { approval } }),
  },
});
const ACCEPT = { action: 'accept', content: {} };

afterEach(() => vi.useRealTimers().restoreAllMocks());

/** Also fakes `performance.now`, which measures the age of a question. */
function useFakeTime() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
}

/**
 * Returns `declined` if the user declined. Otherwise returns whether the answer approves the action
 * with this digest.
 */
async function outcome(approvals: Approvals, state: unknown, response?: object, digest = DIGEST) {
  const answer = await approvals.readAnswer(round(state, response));
  return answer.declined ? 'declined' : answer.digest === digest;
}

it('an approval is valid once, only for its question, and only in time', async () => {
  const approvals = new Approvals();
  const ask = () => approvals.ask({ message: 'Send it?', digest: DIGEST, host: {} })?.requestState;
  const first = ask();
  expect(await outcome(approvals, first)).toBe(false);
  expect(await outcome(approvals, undefined, ACCEPT)).toBe(false);
  expect(await outcome(approvals, 'made-up', ACCEPT)).toBe(false);
  expect(await outcome(approvals, first, ACCEPT)).toBe(true);
  expect(await outcome(approvals, first, ACCEPT)).toBe(false);
  expect(await outcome(approvals, ask(), ACCEPT, OTHER)).toBe(false);
  expect(await outcome(approvals, ask(), { action: 'decline' })).toBe('declined');
  expect(await outcome(approvals, ask(), { action: 'cancel' })).toBe('declined');
  expect(await outcome(approvals, ask(), { action: 'ACCEPT' })).not.toBe(true);

  useFakeTime();
  const [inTime, late] = [ask(), ask()];
  vi.advanceTimersByTime(ANSWER_MS - 1_000);
  expect(await outcome(approvals, inTime, ACCEPT)).toBe(true);
  vi.advanceTimersByTime(2_000);
  expect(await outcome(approvals, late, ACCEPT)).toBe(false);
});

it('forgets the oldest question above 1,000', async () => {
  const approvals = new Approvals();
  const ask = () => approvals.ask({ message: '', digest: DIGEST, host: {} })?.requestState;
  const states = Array.from({ length: 1_001 }, ask);
  expect(await outcome(approvals, states[0], ACCEPT)).toBe(false);
  expect(await outcome(approvals, states[1], ACCEPT)).toBe(true);
});

it('limits the open questions of each host separately', async () => {
  useFakeTime();
  const approvals = new Approvals();
  const ask = (host: object) => approvals.ask({ message: '', digest: DIGEST, host });
  const host = {};
  const [first, second] = [ask(host), ask(host)];
  for (let each = 2; each < MAX_QUESTIONS; each++) expect(ask(host)).toBeDefined();
  expect(ask(host)).toBeUndefined();
  expect(ask({})).toBeDefined();
  expect(await outcome(approvals, first?.requestState, { action: 'decline' })).toBe('declined');
  expect(ask(host)).toBeDefined();
  expect(ask(host)).toBeUndefined();
  const call = { progress: () => {}, completed: () => {}, signal };
  const fails = { ...call, elicit: () => Promise.reject(new Error('no dialog')) };
  await expect(second && approvals.waitFor(second, fails)).rejects.toThrow('no dialog');
  expect(ask(host)).toBeDefined();
  expect(ask(host)).toBeUndefined();
  vi.advanceTimersByTime(ANSWER_MS + 1);
  expect(ask(host)).toBeDefined();
});

it('reports progress only while an open call waits for its user', async () => {
  useFakeTime();
  const approvals = new Approvals();
  const progress = vi.fn();
  const question = approvals.ask({ message: '', digest: DIGEST, host: {} });
  vi.advanceTimersByTime(60_000);
  expect(progress).not.toHaveBeenCalled();
  const user = Promise.withResolvers<ElicitResult>();
  const call = { elicit: () => user.promise, progress, completed: () => {}, signal };
  const answer = question && approvals.waitFor(question, call);
  vi.advanceTimersByTime(45_000);
  user.resolve({ action: 'accept' });
  expect(await answer).toEqual({ declined: false, digest: DIGEST });
  vi.advanceTimersByTime(60_000);
  expect(progress.mock.calls).toEqual(Array(3).fill(['waiting for the user']));
});
