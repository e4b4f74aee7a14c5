import { readFileSync } from 'node:fs';
import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { ETCD, PICTURES, PYTHON, startEtcd, startPython, TEXTS } from './support/real-servers.ts';
import { executeText } from './support/wire.ts';

const missing = Object.entries({ python3: PYTHON, etcd: ETCD }).flatMap(([name, program]) =>
  program === undefined ? [name] : [],
);
if (missing.length > 0) console.warn(`LEFT OUT: ${missing.join(', ')}, which are not installed.`);

const executor = shared(startExecutor);
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe.skipIf(PYTHON === undefined)("Python's own servers", () => {
  const python = shared(startPython);

  it.each<[name: string, body: unknown, lines: readonly string[]]>([
    ['strings', { a: 'x y', 'b&': 'é=%+' }, ["a = 'x y'", "b& = 'é=%+'"]],
    ['scalars', { n: 1.5, t: true, f: false }, ["n = '1.5'", "t = 'true'", "f = 'false'"]],
    ['lists', { tag: ['new', 2, true] }, ["tag = 'new'", "tag = '2'", "tag = 'true'"]],
    ['nothing', { empty: '' }, ["empty = ''"]],
    ['a string', 'a=1&b=%C3%A9+c', ["a = '1'", "b = 'é c'"]],
  ])('read a form of %s', async (_name, body, lines) => {
    const action = { method: 'POST', url: python().origin, headers: FORM, body };
    const outcome = await executor().success({ ...action, response_type: 'text' });
    expect(outcome).toMatchObject({
      body_type: 'text',
      body: lines.map((line) => `${line}\n`).join(''),
    });
    expect(await executor().failure(action)).toMatchObject({ error: 'ResponseNotJson' });
  });

  it('read every digit of a form', async () => {
    const members = `"url":"${python().origin}","headers":${JSON.stringify(FORM)}`;
    const text = `{"method":"POST",${members},"body":{"n":9007199254740993,"z":1.00},"response_type":"text"}`;
    const answer = await executeText(executor(), text);
    expect(JSON.parse(answer.text).body).toBe("n = '9007199254740993'\nz = '1.00'\n");
  });

  it.each(Object.entries(TEXTS))('serve text: %s', async (file, [hex, text]) => {
    const action = { method: 'GET', url: `${python().origin}/${file}` };
    for (const response_type of ['text', 'auto']) {
      const outcome = await executor().success({ ...action, response_type });
      expect(outcome, response_type).toMatchObject({ body_type: 'text', body: text });
    }
    const { body } = await executor().success({ ...action, response_type: 'base64' });
    expect(Buffer.from(String(body), 'base64').toString('hex')).toBe(hex);
    const failure = await executor().failure(action);
    expect(failure).toMatchObject({ error: 'ResponseNotJson', body: text });
  });

  it.each([
    ['favicon-16x16.png', 'base64', 'RequestFailed'],
    ['favicon-32x32.png', 'base64', 'RequestFailed'],
    ['logo.svg', 'text', 'text'],
    ['csp.json', 'json', 'text'],
    ['swagger-ui.css', 'text', 'text'],
  ])('serve files: %s', async (file, found, asText) => {
    const action = { method: 'GET', url: `${python().origin}/${file}` };
    const bytes = readFileSync(new URL(file, PICTURES));
    const base64 = await executor().success({ ...action, response_type: 'base64' });
    expect(base64).toMatchObject({ body_type: 'base64', body: bytes.toString('base64') });
    const auto = await executor().success({ ...action, response_type: 'auto' });
    const shown = { base64: bytes.toString('base64'), text: bytes.toString() };
    expect(auto.body_type).toBe(found);
    expect(auto.body).toEqual(found === 'json' ? JSON.parse(shown.text) : shown[found as 'text']);
    const text = await executor().outcome({ ...action, response_type: 'text' });
    expect(text.outcome === 'success' ? text.body_type : text.error).toBe(asText);
  });

  it('say in text that a file is missing', async () => {
    const action = { method: 'GET', url: `${python().origin}/none`, response_type: 'auto' };
    expect(await executor().failure(action)).toMatchObject({
      error: 'HttpFailure',
      status: 404,
      body_type: 'text',
      body: expect.stringContaining('<title>Error response</title>'),
    });
  });
});

describe.skipIf(ETCD === undefined)('etcd', () => {
  const etcd = shared(startEtcd);

  it('keeps what a form brings', async () => {
    const url = `${etcd().origin}/v2/keys/greeting`;
    for (const [body, value] of [
      [{ value: 'tea & café', ttl: 60 }, 'tea & café'],
      ['value=a%20b', 'a b'],
      [{ value: '' }, ''],
    ]) {
      await executor().success({ method: 'PUT', url, headers: FORM, body });
      const { body: kept } = await executor().success({ method: 'GET', url });
      expect(kept).toMatchObject({ node: { value } });
    }
  });

  it('shows its metrics as text', async () => {
    const url = `${etcd().origin}/metrics`;
    const { body, body_type } = await executor().success({
      method: 'GET',
      url,
      response_type: 'auto',
    });
    expect(body_type).toBe('text');
    expect(body).toContain('etcd_server_has_leader');
  });
});
