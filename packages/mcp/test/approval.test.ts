import { inputRequired } from '@modelcontextprotocol/server';
import { afterEach, expect, it, vi } from 'vitest';
import { ANSWER_MS, Approvals } from '../src/approval.ts';

const ACTION = { action: { method: 'POST', url: 'http://a.example/' }, check: {} };
const OTHER = { ...ACTION, action: { ...ACTION.action, url: 'http://b.example/' } };

const round = (state: unknown, approval?: object) => ({
  requestState: <T>() => state as T | undefined,
  ...(approval !== undefined && { inputResponses: { approval } }),
});
const ACCEPT = { action: 'accept', content: {} };

afterEach(() => vi.restoreAllMocks());

it('an approval holds once, for what was asked, and as long as it may take', () => {
  const approvals = new Approvals();
  const ask = () => approvals.ask(ACTION, 'Send it?').requestState;
  const first = ask();
  expect(approvals.answer(ACTION, round(first))).toBe('none');
  expect(approvals.answer(ACTION, round(undefined, ACCEPT))).toBe('none');
  expect(approvals.answer(ACTION, round('made-up', ACCEPT))).toBe('none');
  expect(approvals.answer(ACTION, round(first, ACCEPT))).toBe('approved');
  expect(approvals.answer(ACTION, round(first, ACCEPT))).toBe('none');
  expect(approvals.answer(OTHER, round(ask(), ACCEPT))).toBe('none');
  expect(approvals.answer(ACTION, round(ask(), { action: 'decline' }))).toBe('declined');
  expect(approvals.answer(ACTION, round(ask(), { action: 'cancel' }))).toBe('declined');
  expect(approvals.answer(ACTION, round(ask(), { action: 'ACCEPT' }))).not.toBe('approved');

  const [inTime, late] = [ask(), ask()];
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + ANSWER_MS - 1_000);
  expect(approvals.answer(ACTION, round(inTime, ACCEPT))).toBe('approved');
  vi.spyOn(performance, 'now').mockReturnValue(now + ANSWER_MS);
  expect(approvals.answer(ACTION, round(late, ACCEPT))).toBe('none');
});

it('forgets the oldest of more than 1,000 questions', () => {
  const approvals = new Approvals();
  const states = Array.from({ length: 1_001 }, () => approvals.ask(ACTION, '').requestState);
  expect(approvals.answer(ACTION, round(states[0], ACCEPT))).toBe('none');
  expect(approvals.answer(ACTION, round(states[1], ACCEPT))).toBe('approved');
});

it('asks with an empty form, which every host can show', () => {
  const { inputRequests } = new Approvals().ask(ACTION, 'Send it?');
  const requestedSchema = { type: 'object' as const, properties: {} };
  expect(inputRequests).toEqual({
    approval: inputRequired.elicit({ message: 'Send it?', requestedSchema }),
  });
});
