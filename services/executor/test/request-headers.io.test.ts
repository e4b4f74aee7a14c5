import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

const executor = shared(startExecutor);

/** Contract section 3, "Request headers": hop-by-hop and framing headers. */
const REFUSED_NAMES = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'expect',
  'proxy-authorization',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-anything',
  'proxy',
  'via',
  'max-forwards',
  'x-forwarded',
  'x_forwarded_for',
  'content_length',
  'x-google-metadata-request',
];

const upper = (name: string) => name.toUpperCase();
const title = (name: string) => name.replace(/(?:^|-)[a-z]/g, upper);

describe('a header that belongs to the executor is refused', () => {
  it.each(REFUSED_NAMES)('%s, in any case', async (plain) => {
    await using upstream = await startUpstream();
    for (const name of [plain, title(plain), upper(plain)]) {
      const action = { method: 'GET', url: upstream.origin, headers: { [name]: '1' } };
      const problem = await executor().problem(action);
      expect(problem).toMatchObject({ status: 400, code: 'InvalidAction' });
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/headers/${name}`]);
    }
    expect(upstream.connections).toBe(0);
  });
});

const BAD_VALUES: [name: string, value: string][] = [
  ['CR LF', 'a\r\nx-injected: b'],
  ['LF', 'a\nb'],
  ['CR', 'a\rb'],
  ['NUL', 'a\0b'],
  ['a line break at the end', 'a\r\n'],
  ['a line break at the start', '\nx'],
  ['ESC', '\u001b[31m'],
  ['DEL', 'a\u007f'],
  ['Latin-1', 'café'],
  ['C1 controls', 'a\u0085b'],
  ['beyond Latin-1', 'Āb'],
  ['an emoji', '🔑'],
  ['half an emoji', '\ud83d'],
  ['a line separator', 'a\u2028b'],
  ['a no-break space at the end', 'a\u00a0'],
];

describe('a value with anything but visible ASCII, spaces and tabs is refused', () => {
  it.each(BAD_VALUES)('%s', async (_name, value) => {
    await using upstream = await startUpstream();
    const problem = await executor().problem({
      method: 'GET',
      url: upstream.origin,
      headers: { 'x-a': value },
    });
    expect(problem).toMatchObject({ code: 'InvalidAction', errors: [{ pointer: '/headers/x-a' }] });
    expect(upstream.connections).toBe(0);
  });

  it('and is not shown, since it may be a secret', async () => {
    const headers = { authorization: 'Bearer sup3r-s3cret\n' };
    const response = await executor().execute({ method: 'GET', url: 'http://localhost/', headers });
    expect(await response.text()).not.toContain('s3cret');
  });
});

describe('the trace context of the caller', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it('is passed on', async () => {
    await using upstream = await startUpstream();
    const headers = { traceparent, tracestate: 'vendor=1' };
    await executor().execute({ method: 'GET', url: upstream.origin }, { headers });
    expect(upstream.requests[0]?.headers).toMatchObject(headers);
  });

  it('gives way to what the action sets', async () => {
    await using upstream = await startUpstream();
    const own = traceparent.replace('01', '00');
    const action = { method: 'GET', url: upstream.origin, headers: { Traceparent: own } };
    await executor().execute(action, { headers: { traceparent } });
    expect(upstream.requests[0]?.headers.traceparent).toBe(own);
  });

  it.each(['', 'garbage', traceparent.slice(1), `${traceparent}-x`])(
    '%j is not passed on',
    async (garbage) => {
      await using upstream = await startUpstream();
      const response = await executor().execute(
        { method: 'GET', url: upstream.origin },
        { headers: { traceparent: garbage } },
      );
      expect(response.status).toBe(200);
      expect(upstream.requests[0]?.headers).not.toHaveProperty('traceparent');
    },
  );

  it('nothing else of the caller is passed on', async () => {
    await using upstream = await startUpstream();
    const headers = {
      authorization: 'Bearer of-the-caller',
      cookie: 'a=b',
      'x-request-id': 'r-1',
      'x-forwarded-for': '1.2.3.4',
    };
    await executor().execute({ method: 'GET', url: upstream.origin }, { headers });
    expect(Object.keys(upstream.requests[0]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });
});
