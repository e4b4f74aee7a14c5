import type { GatedAction } from '@gatehouse/client';
import { inputRequired } from '@modelcontextprotocol/server';
import { afterEach, expect, it, vi } from 'vitest';
import { ANSWER_MS, Approvals } from '../src/approval.ts';

const REASON = 'spend_limit: too much';
const ACTION = { action: { method: 'POST', url: 'http://a.example/' }, check: {} };
const SUBJECT = [ACTION, REASON] as const;
const OTHER = { ...ACTION, action: { ...ACTION.action, url: 'http://b.example/' } };

const round = (state: unknown, approval?: object) => ({
  requestState: <T>() => state as T | undefined,
  ...(approval !== undefined && { inputResponses: { approval } }),
});
const ACCEPT = { action: 'accept', content: {} };

afterEach(() => vi.restoreAllMocks());

/** What the call of this round would get: whether it is approved, or else declined. */
function outcome(
  approvals: Approvals,
  state: unknown,
  response?: object,
  subject: readonly [GatedAction, string] = SUBJECT,
) {
  const answer = approvals.take(round(state, response));
  return answer.declined ? 'declined' : answer.approves(...subject);
}

it('an approval holds once, for what was asked, and as long as it may take', () => {
  const approvals = new Approvals();
  const ask = () => approvals.ask('Send it?', ...SUBJECT).requestState;
  const first = ask();
  expect(outcome(approvals, first)).toBe(false);
  expect(outcome(approvals, undefined, ACCEPT)).toBe(false);
  expect(outcome(approvals, 'made-up', ACCEPT)).toBe(false);
  expect(outcome(approvals, first, ACCEPT)).toBe(true);
  expect(outcome(approvals, first, ACCEPT)).toBe(false);
  expect(outcome(approvals, ask(), ACCEPT, [OTHER, REASON])).toBe(false);
  expect(outcome(approvals, ask(), ACCEPT, [ACTION, 'pii_guardrail: health'])).toBe(false);
  expect(outcome(approvals, ask(), { action: 'decline' })).toBe('declined');
  expect(outcome(approvals, ask(), { action: 'cancel' })).toBe('declined');
  expect(outcome(approvals, ask(), { action: 'ACCEPT' })).not.toBe(true);

  const [inTime, late] = [ask(), ask()];
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + ANSWER_MS - 1_000);
  expect(outcome(approvals, inTime, ACCEPT)).toBe(true);
  vi.spyOn(performance, 'now').mockReturnValue(now + ANSWER_MS);
  expect(outcome(approvals, late, ACCEPT)).toBe(false);
});

it('forgets the oldest of more than 1,000 questions', () => {
  const approvals = new Approvals();
  const ask = () => approvals.ask('', ...SUBJECT).requestState;
  const states = Array.from({ length: 1_001 }, ask);
  expect(outcome(approvals, states[0], ACCEPT)).toBe(false);
  expect(outcome(approvals, states[1], ACCEPT)).toBe(true);
});

it('asks with an empty form, which every host can show', () => {
  const { inputRequests } = new Approvals().ask('Send it?', ACTION, REASON);
  const requestedSchema = { type: 'object' as const, properties: {} };
  expect(inputRequests).toEqual({
    approval: inputRequired.elicit({ message: 'Send it?', requestedSchema }),
  });
});
