import { describe, expect, it } from 'vitest';
import { loggerTo, type TerminalLines, terminalLines } from '../../src/index.ts';

type Log = (to: ReturnType<typeof loggerTo>) => void;

/**
 * Returns the line that a terminal of this width shows for one log entry, without its time and
 * service name.
 */
function shown(columns: number | undefined, log: Log, lines: TerminalLines = {}) {
  const readable = terminalLines(lines, () => columns);
  let text = '';
  const write = (line: string) => {
    text += readable(line);
  };
  log(loggerTo({ write }, 'trace', 'policy'));
  expect(text).toMatch(/^\d\d:\d\d:\d\d policy {3}/);
  return text.slice('HH:MM:ss policy   '.length);
}

const REQUEST = {
  request_id: 'r-1',
  caller: undefined,
  method: 'GET',
  path: '/sandbox',
  status: 200,
  duration_ms: 1.25,
};
const FIELDS = { upstream: { host: 'a.test', status: 201 }, attempt_ms: [1, 2] };
const DIGEST = '0123456789abcdef'.repeat(4);

describe('on a terminal', () => {
  it.each([
    ['a request', 'request', REQUEST, 'GET /sandbox → 200 1.25 ms request_id=r-1'],
    [
      'a request with extra fields',
      'request',
      { ...REQUEST, ...FIELDS },
      'GET /sandbox → 200 1.25 ms upstream.host=a.test upstream.status=201 attempt_ms=1,2 request_id=r-1',
    ],
    [
      'a refusal',
      'request',
      { ...REQUEST, status: 401, code: 'Unauthorized', remote: '10.0.0.1' },
      'refused Unauthorized GET /sandbox 1.25 ms remote=10.0.0.1 request_id=r-1',
    ],
    [
      'a failure',
      'request',
      { ...REQUEST, status: 500, code: 'InternalError' },
      'failed InternalError GET /sandbox 1.25 ms request_id=r-1',
    ],
    [
      'an aborted request',
      'request aborted',
      { ...REQUEST, reason: 'ECONNRESET' },
      'aborted GET /sandbox 1.25 ms reason=ECONNRESET request_id=r-1',
    ],
    [
      'digests, cut to eight digits',
      'changed',
      { digest: DIGEST, digests: [DIGEST, DIGEST], trace_id: DIGEST.slice(32) },
      `changed digest=01234567 digests=01234567,01234567 trace_id=${DIGEST.slice(32)}`,
    ],
  ])('%s begins with its result', (_name, msg, fields, line) => {
    expect(shown(160, (to) => to.info(fields, msg))).toBe(`${line}\n`);
  });

  it('a service can format its own lines', () => {
    const lines: TerminalLines = {
      check: ({ decision, ...rest }) => ({ headline: `${decision}!`, rest }),
      request: () => undefined,
    };
    const check: Log = (to) => to.info({ decision: 'deny', profile: 'a' }, 'check');
    expect(shown(80, check, lines)).toBe('deny! profile=a\n');
    const request: Log = (to) => to.info(REQUEST, 'request');
    expect(shown(80, request, lines)).toBe('GET /sandbox → 200 1.25 ms request_id=r-1\n');
  });

  it('details are cut at the width, but headlines and warnings are not', () => {
    const long = { name: 'x'.repeat(100) };
    for (const columns of [60, 80, 120, undefined]) {
      const line = shown(columns, (to) => to.info(long, 'a message'));
      expect(line).toMatch(/^a message name=x+…\n$/);
      expect('HH:MM:ss policy   '.length + line.trimEnd().length).toBe(columns ?? 80);
    }
    const message = 'a message of more columns than there are';
    expect(shown(40, (to) => to.info(long, message))).toBe(`${message} …\n`);
    const exact = { name: 'x'.repeat(80 - 'HH:MM:ss policy   a name='.length) };
    expect(shown(80, (to) => to.info(exact, 'a'))).toBe(`a name=${exact.name}\n`);
    expect(shown(79, (to) => to.info(exact, 'a'))).toMatch(/x…\n$/);
    expect(shown(79, (to) => to.warn(exact, 'a'))).toBe(`WARN a name=${exact.name}\n`);
  });

  it('an error is followed by its stack', () => {
    const error = Object.assign(new Error('broken'), { stack: 'Error: broken\n    at a.ts:1' });
    expect(shown(80, (to) => to.error({ err: error }, 'request failed'))).toBe(
      'ERROR request failed\n    Error: broken\n        at a.ts:1\n',
    );
  });

  it('control characters are stripped', () => {
    const path = '/a\u001b[2J\u009b2J\n\r\u0007';
    const text = shown(120, (to) => to.info({ ...REQUEST, path, request_id: path }, 'request'));
    expect(text).toBe('GET /a[2J2J → 200 1.25 ms request_id=/a[2J2J\n');
  });
});
