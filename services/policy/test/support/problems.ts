import type { Problem } from '@gatehouse/contracts';
import { expect } from 'vitest';

/** Response, from `fetch` or from a bare socket. */
export type Received = { status: number; headers: Headers; text: string };

const ALWAYS = ['type', 'title', 'status', 'detail', 'code', 'request_id'];

/** Internals that must not leak: stack frames, source files, modules, framework codes. */
const INTERNALS =
  /\n\s*at |\bat \w+.*:\d+|\.ts\b|\.js\b|node_modules|node:|\/work\/|FST_|ERR_|Error:/;

export async function received(answer: Response | Promise<Response>): Promise<Received> {
  const response = await answer;
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Asserts all rules of docs/contract.md, "Problems". Returns the problem. */
export function problemIn(
  { status, headers, text }: Received,
  wanted: { status: number; code: string },
): Problem {
  expect({ status, type: headers.get('content-type') }).toEqual({
    status: wanted.status,
    type: expect.stringMatching(/^application\/problem\+json(; ?charset=utf-8)?$/),
  });
  const problem: Problem = JSON.parse(text);
  const { errors: _errors, ...rest } = problem;
  expect(Object.keys(rest).sort()).toEqual(ALWAYS.toSorted());
  expect(problem).toMatchObject({ ...wanted, type: `/problems/${kebab(wanted.code)}` });
  expect(problem.code).toMatch(/^([A-Z][a-z]+)+$/);
  expect(problem.title).toMatch(/^\S.*\S$/);
  expect(problem.detail).toMatch(/^[A-Z].*\.$/s);
  expect(problem.request_id).toMatch(/^[\x21-\x7e]{1,128}$/);
  expect(problem.request_id).toBe(headers.get('x-request-id'));
  expect(`${problem.title}\n${problem.detail}`).not.toMatch(INTERNALS);
  return problem;
}

/** `InvalidRequest` → `invalid-request` */
const kebab = (code: string) => code.replace(/\B[A-Z]/g, '-$&').toLowerCase();
