import { prettyFactory } from 'pino-pretty';
import { describe, expect, it } from 'vitest';
import { loggerTo } from '../src/index.ts';
import { terminalOptions } from '../src/log/terminal.ts';

/** What a terminal of so many columns shows of one entry, without its time. */
function shown(columns: number | undefined, log: (to: ReturnType<typeof loggerTo>) => void) {
  const pretty = prettyFactory({ ...terminalOptions(() => columns), colorize: false });
  let text = '';
  const write = (line: string) => {
    text += pretty(line);
  };
  log(loggerTo({ write }, 'trace', 'policy'));
  return text.replace(/^\[[\d:.]{12}\] /gm, '');
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

describe('on a terminal', () => {
  it('a request is one line, its id at the end', () => {
    expect(shown(120, (to) => to.line('request', REQUEST))).toBe(
      'INFO: policy   GET /sandbox 200 1.25 ms request_id=r-1\n',
    );
    expect(shown(160, (to) => to.line('execution', REQUEST, FIELDS))).toBe(
      'INFO: policy   GET /sandbox 200 1.25 ms msg=execution upstream.host=a.test upstream.status=201 attempt_ms=1,2 request_id=r-1\n',
    );
  });

  it('fields are cut at its width, messages are not', () => {
    const long = { name: 'x'.repeat(100) };
    for (const columns of [60, 80, 120, undefined]) {
      const line = shown(columns, (to) => to.warn(long, 'a message'));
      expect(line).toMatch(/^WARN: policy {3}a message name=x+…\n$/);
      // The time, which is left out here, has 15 columns; ERROR is one longer than WARN.
      expect(line.trimEnd().length + 15 + 1).toBe(columns ?? 80);
    }
    const message = 'a message of more columns than there are';
    expect(shown(40, (to) => to.warn(long, message))).toBe(`WARN: policy   ${message} …\n`);
  });

  it('an error has its stack below', () => {
    const error = Object.assign(new Error('broken'), { stack: 'Error: broken\n    at a.ts:1' });
    expect(shown(80, (to) => to.error({ err: error }, 'request failed'))).toBe(
      'ERROR: policy   request failed\n    Error: broken\n        at a.ts:1\n',
    );
  });

  it('no control character of a caller gets to it', () => {
    const path = '/a\u001b[2J\u009b2J\n\r\u0007';
    const text = shown(120, (to) => to.line('request', { ...REQUEST, path, request_id: path }));
    expect(text).toBe('INFO: policy   GET /a[2J2J 200 1.25 ms request_id=/a[2J2J\n');
  });
});
