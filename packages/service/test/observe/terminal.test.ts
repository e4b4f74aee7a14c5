import { describe, expect, it } from 'vitest';
import { loggerTo, type Summaries, terminal } from '../../src/index.ts';

type Log = (to: ReturnType<typeof loggerTo>) => void;

/** Returns the line that a terminal shows for one log entry, without its time and service name. */
async function shown(log: Log, summaries: Summaries = {}) {
  let text = '';
  const readable = await terminal(summaries, (line) => {
    text += line;
  });
  log(loggerTo(readable, 'trace', 'policy'));
  expect(text).toMatch(/^\d\d:\d\d:\d\d policy {3}/);
  return text.slice('HH:MM:ss policy   '.length);
}

const REQUEST = {
  caller: undefined,
  method: 'GET',
  path: '/sandbox',
  status: 200,
  duration_ms: 1.25,
};
const DIGEST = '0123456789abcdef'.repeat(4);

describe('on a terminal', () => {
  it.each([
    ['a request', 'request', REQUEST, 'GET /sandbox → 200 {"duration_ms":1.25}'],
    [
      'a request with extra fields',
      'request',
      { ...REQUEST, upstream: { host: 'a.test', status: 201, bytes: 9 }, attempt_ms: [1, 2] },
      'GET /sandbox → 200 {"duration_ms":1.25,"upstream":{"bytes":9},"attempt_ms":[1,2]}',
    ],
    [
      'a refusal',
      'request',
      { ...REQUEST, status: 401, code: 'Unauthorized' },
      'refused Unauthorized GET /sandbox {"duration_ms":1.25,"code":"Unauthorized"}',
    ],
    [
      'a failure',
      'request',
      { ...REQUEST, status: 500, code: 'InternalError' },
      'failed InternalError GET /sandbox {"duration_ms":1.25,"code":"InternalError"}',
    ],
    [
      'an aborted request',
      'request aborted',
      { ...REQUEST, reason: 'ECONNRESET' },
      'aborted GET /sandbox {"duration_ms":1.25,"reason":"ECONNRESET"}',
    ],
    ['a message', 'changed', { digest: DIGEST }, 'changed {"digest":"01234567"}'],
    ['a message without fields', 'started', {}, 'started'],
  ])('%s begins with its result', async (_name, msg, fields, line) => {
    expect(await shown((to) => to.info(fields, msg))).toBe(`${line}\n`);
  });

  it('a service can summarize its own lines', async () => {
    const summaries: Summaries = {
      check: ({ decision }) => `${decision}!`,
      request: () => undefined,
    };
    const check: Log = (to) => to.info({ decision: 'deny', profile: 'a' }, 'check');
    expect(await shown(check, summaries)).toBe('deny! {"profile":"a"}\n');
    const request: Log = (to) => to.info(REQUEST, 'request');
    expect(await shown(request, summaries)).toBe('GET /sandbox → 200 {"duration_ms":1.25}\n');
  });

  it('a warning begins with its level', async () => {
    expect(await shown((to) => to.warn({ count: 2 }, 'a'))).toBe('WARN a {"count":2}\n');
  });

  it('an error is followed by its stack', async () => {
    const error = Object.assign(new Error('broken'), { stack: 'Error: broken\n    at a.ts:1' });
    expect(await shown((to) => to.error({ err: error }, 'request failed'))).toMatch(
      /^ERROR request failed\s+err: \{\n[^}]*Error: broken\n\s+at a\.ts:1\n/,
    );
  });

  it('control characters are stripped', async () => {
    const path = '/a\u001b[2J\u009b2J\n\r\u0007\u202e\u2066\u2028';
    const reason = Object.assign(new Error(path), { stack: path });
    const fields = { ...REQUEST, path, request_id: path, [path]: path, err: reason };
    const text = await shown((to) => to.info(fields, 'request'));
    expect(text).toMatch(/^GET \/a\[2J2J → 200 \{.*"request_id":"\/a.*\}\n {4}err: \{\n/);
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });
});
