import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';

const ISSUES = [1, 2].map((number) => ({
  ...{ number, title: `Issue ${number}`, user: { login: 'ada', url: 'https://x.test/ada' } },
  body: 'b'.repeat(500),
}));

const BROKEN: Readonly<Record<string, string>> = {
  trailing: `{"a":1}${' '.repeat(64)}x`,
  unclosed: `[{"a":1},${' '.repeat(64)}`,
  deep: `[1,${'['.repeat(256)}${']'.repeat(256)}]`,
};

const upstream = shared(() =>
  startUpstream(({ url }, response) => {
    const [, path = '', status = '200'] = /^\/(\w+)(?:\/(\d+))?/.exec(url) ?? [];
    response.statusCode = Number(status);
    response.setHeader('content-type', path === 'text' ? 'text/plain' : 'application/json');
    const link = '<next?page=2>; rel="next", <https://other.test/l>; rel=last; title="a, b"';
    if (path === 'issues') response.setHeader('link', link);
    if (path === 'empty' || path === 'null') response.end(path === 'null' ? 'null' : '');
    else if (path === 'secret') response.end(JSON.stringify({ a: 'secret-12345', b: 1 }));
    else if (path in BROKEN) response.end(BROKEN[path]);
    else response.end(path === 'text' ? 't'.repeat(300) : JSON.stringify(ISSUES));
  }),
);
const executor = shared(() => startExecutor({ clock: fakeClock() }));

const send = async (path: string, members: object) =>
  executor().outcome({ method: 'GET', url: `${upstream().origin}/${path}`, ...members });

describe('an answer', () => {
  it('has only the fields that the action names', async () => {
    expect(await send('issues', { fields: 'number,user/login' })).toMatchObject({
      body: [1, 2].map((number) => ({ number, user: { login: 'ada' } })),
    });
    const { body } = (await send('issues', { fields: 'number' })) as { body: unknown };
    expect(body).toEqual([{ number: 1 }, { number: 2 }]);
  });

  it('is checked against the schema before fields are selected', async () => {
    const response_schema = { items: { required: ['body'] } };
    expect(await send('issues', { fields: 'number', response_schema })).toMatchObject({
      outcome: 'success',
    });
    const failed = await send('issues', { fields: 'number', response_schema: { type: 'object' } });
    expect(failed).toMatchObject({ error: 'SchemaValidationFailed', body: ISSUES });
  });

  it('keeps all fields in a failure', async () => {
    expect(await send('issues/404', { fields: 'number' })).toMatchObject({ body: ISSUES });
  });

  it.each(['issues', 'issues/404', 'issues/503', 'text', 'text/404'])(
    'of %s has at most max_bytes',
    async (path) => {
      const outcome = await send(path, { max_bytes: 200, response_type: 'auto' });
      const part = 'last_error' in outcome ? outcome.last_error : outcome;
      expect(Buffer.byteLength(JSON.stringify(part?.body))).toBeLessThanOrEqual(200);
      expect(part?.omitted).not.toEqual([]);
      expect(part).toHaveProperty('omitted');
    },
  );

  it.each(Object.keys(BROKEN))('of %s JSON is refused, whatever its part', async (path) => {
    const refused = async (members: object) => {
      const outcome = await send(path, members);
      expect(outcome).toMatchObject({ error: 'ResponseNotJson' });
      return 'message' in outcome && outcome.message;
    };
    const message = await refused({});
    for (const members of [{ fields: 'a' }, { max_bytes: 64 }, { fields: 'b', max_bytes: 64 }])
      expect(await refused(members)).toBe(message);
  });

  it('in base64 is cut at a multiple of four', async () => {
    const outcome = await send('text', { max_bytes: 101, response_type: 'base64' });
    expect(outcome.body).toBe(Buffer.from('t'.repeat(72)).toString('base64'));
    expect(outcome.omitted).toEqual([{ pointer: '', bytes: 304 }]);
  });

  it('has no `omitted` if nothing was cut', async () => {
    expect(await send('issues', { max_bytes: 10_000 })).not.toHaveProperty('omitted');
  });

  it.each(['empty', 'empty/204', 'null'])('of %s stays `null` with fields', async (path) => {
    expect(await send(path, { fields: 'a', max_bytes: 64 })).toMatchObject({ body: null });
  });

  it('shows no secret in a link, whatever the spelling', async () => {
    const headers = { 'x-api-key': 'issues/200' };
    const { links } = await send('issues/200', { links: true, headers });
    expect(JSON.stringify(links)).not.toContain('issues/200');
  });

  it('counts redactions before anything is selected', async () => {
    const headers = { 'x-api-key': 'secret-12345' };
    const outcome = await send('secret', { fields: 'b', headers });
    expect(outcome).toMatchObject({ body: { b: 1 }, redactions: 1 });
    const part = await send('secret', { fields: 'a', max_bytes: 64, headers });
    expect(part).toMatchObject({ body: { a: 'REDACTED' }, redactions: 1 });
  });

  it('lists the links of the response on demand', async () => {
    const outcome = await send('issues', { links: true });
    expect(outcome.links).toEqual({
      next: `${upstream().origin}/next?page=2`,
      last: 'https://other.test/l',
    });
    expect(await send('issues', {})).not.toHaveProperty('links');
    expect(await send('text', { links: true, response_type: 'text' })).not.toHaveProperty('links');
  });
});
