import type { ElicitResult } from '@modelcontextprotocol/client';
import { afterEach, expect, it, vi } from 'vitest';
import { ANSWER_MS, Approvals, MAX_QUESTIONS } from '../src/approval.ts';

const [DIGEST, OTHER] = ['digest of an action', 'digest of another'];

const round = (state: unknown, approval?: object) => ({
  requestState: <T>() => state as T | undefined,
  ...(approval !== undefined && { inputResponses: { approval } }),
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
function outcome(approvals: Approvals, state: unknown, response?: object, digest = DIGEST) {
  const answer = approvals.readAnswer(round(state, response));
  return answer.declined ? 'declined' : answer.digest === digest;
}

it('an approval is valid once, only for its question, and only in time', () => {
  const approvals = new Approvals();
  const ask = () => approvals.ask('Send it?', DIGEST, {})?.requestState;
  const first = ask();
  expect(outcome(approvals, first)).toBe(false);
  expect(outcome(approvals, undefined, ACCEPT)).toBe(false);
  expect(outcome(approvals, 'made-up', ACCEPT)).toBe(false);
  expect(outcome(approvals, first, ACCEPT)).toBe(true);
  expect(outcome(approvals, first, ACCEPT)).toBe(false);
  expect(outcome(approvals, ask(), ACCEPT, OTHER)).toBe(false);
  expect(outcome(approvals, ask(), { action: 'decline' })).toBe('declined');
  expect(outcome(approvals, ask(), { action: 'cancel' })).toBe('declined');
  expect(outcome(approvals, ask(), { action: 'ACCEPT' })).not.toBe(true);

  useFakeTime();
  const [inTime, late] = [ask(), ask()];
  vi.advanceTimersByTime(ANSWER_MS - 1_000);
  expect(outcome(approvals, inTime, ACCEPT)).toBe(true);
  vi.advanceTimersByTime(2_000);
  expect(outcome(approvals, late, ACCEPT)).toBe(false);
});

it('forgets the oldest question above 1,000', () => {
  const approvals = new Approvals();
  const ask = () => approvals.ask('', DIGEST, {})?.requestState;
  const states = Array.from({ length: 1_001 }, ask);
  expect(outcome(approvals, states[0], ACCEPT)).toBe(false);
  expect(outcome(approvals, states[1], ACCEPT)).toBe(true);
});

it('limits the open questions of each host separately', async () => {
  useFakeTime();
  const approvals = new Approvals();
  const ask = (host: object) => approvals.ask('', DIGEST, host);
  const host = {};
  const [first, second] = [ask(host), ask(host)];
  for (let each = 2; each < MAX_QUESTIONS; each++) expect(ask(host)).toBeDefined();
  expect(ask(host)).toBeUndefined();
  expect(ask({})).toBeDefined();
  expect(outcome(approvals, first?.requestState, { action: 'decline' })).toBe('declined');
  expect(ask(host)).toBeDefined();
  expect(ask(host)).toBeUndefined();
  const fails = { elicit: () => Promise.reject(new Error('no dialog')), progress: () => {} };
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
  const question = approvals.ask('', DIGEST, {});
  vi.advanceTimersByTime(60_000);
  expect(progress).not.toHaveBeenCalled();
  const user = Promise.withResolvers<ElicitResult>();
  const answer = question && approvals.waitFor(question, { elicit: () => user.promise, progress });
  vi.advanceTimersByTime(45_000);
  user.resolve({ action: 'accept' });
  expect(await answer).toEqual({ declined: false, digest: DIGEST });
  vi.advanceTimersByTime(60_000);
  expect(progress.mock.calls).toEqual(Array(3).fill(['waiting for the user']));
});
