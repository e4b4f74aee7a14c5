import { truncateSync } from 'node:fs';
import { type Reply, reply, type Script } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startWithUpstream } from '../support/destinations.ts';

const SECRET = 'tok_4F9c/1e7a+2b8d~6035 aabb';
const BASIC = Buffer.from(`svc:${SECRET}`).toString('base64');

const CREDENTIALS = `
credentials:
  bearer: { type: bearer, token_file: secret }
  basic: { type: basic, username: svc, password_file: secret }
  header: { type: header, name: X-Api-Key, value_file: secret }
  other: { type: bearer, token_file: other }
  cookie: { type: header, name: Cookie, value_file: secret }
  custom: { type: header, name: Authorization, value_file: secret }
`;

const TYPES = [
  ['bearer', 'authorization', `Bearer ${SECRET}`],
  ['basic', 'authorization', `Basic ${BASIC}`],
  ['header', 'x-api-key', SECRET],
] as const;

const HERE = 'host: "localhost:PORT"';
const WITH_BEARER = [`${HERE}, credential: bearer`];
const WITH_HEADER = [`${HERE}, credential: header`];

/**
 * Starts an upstream, and an executor with these destinations. `PORT` in a destination stands for
 * the port of the upstream.
 */
async function start(destinations: readonly string[], script: Script = {}, secret = SECRET) {
  const list = destinations.map((each) => `  - { ${each} }`).join('\n');
  const text = `destinations:\n${list}\n${CREDENTIALS}`;
  const started = await startWithUpstream(script, (port) => ({
    'destinations.yaml': text.replaceAll('PORT', String(port)),
    secret,
    other: 'another-secret-0123456789',
  }));
  const { upstream } = started;
  return {
    ...started,
    get: (path = '/', headers = {}, host = 'localhost') => ({
      method: 'GET',
      url: `http://${host}:${upstream.port}${path}`,
      headers,
    }),
    sent: (name: string) => upstream.requests.map(({ headers }) => headers[name]),
  };
}

/** Forms in which an upstream may write a secret. */
const spellingsOf = (text: string): string[] => [
  text,
  encodeURIComponent(text),
  encodeURI(text),
  text.replaceAll(' ', '+'),
  new URLSearchParams([['', text]]).toString().slice(1),
  Buffer.from(text).toString('base64'),
  Buffer.from(text).toString('base64url'),
  JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
];

describe('an echo of an added credential', () => {
  const replies: readonly (readonly [string, (text: string) => Reply])[] = [
    ['a body', (text) => ({ body: { you: text } })],
    ['the name of a member', (text) => ({ body: { [text]: 1 } })],
    ['a failure', (text) => ({ status: 400, body: { you: text } })],
    ['the last error', (text) => ({ status: 503, body: { you: text } })],
    ['a body of the wrong type', (text) => ({ body: `<p>${text}</p>` })],
    ['a header', (text) => ({ headers: { 'x-echo': text } })],
    [
      'the location of a redirect',
      (text) => ({ status: 302, headers: { location: `/x/${text}` } }),
    ],
    ['the location of a new order', (text) => ({ status: 201, headers: { location: `/${text}` } })],
  ];

  for (const [type, name, value] of TYPES)
    it.each(replies)(`of the type ${type} is hidden in %s`, async (_where, replyWith) => {
      let echo = '';
      await using test = await start(
        [`${HERE}, paths: [/], credential: ${type}`],
        (_request, response) => reply(response, replyWith(echo)),
      );
      const secrets = new Set([SECRET, value].flatMap(spellingsOf));
      for (const secret of [...secrets]) {
        echo = secret;
        for (const schema of [undefined, { not: { required: ['absent'] } }]) {
          const action = { ...test.get(), method: 'POST', response_schema: schema };
          const text = await test.executor.text(action);
          for (const each of secrets) expect(text).not.toContain(JSON.stringify(each).slice(1, -1));
          expect(text).toContain('REDACTED');
        }
      }
      expect(new Set(test.sent(name))).toEqual(new Set([value]));
    });

  it.each([
    ['a preference cookie', 'cookie', 'cookie', 'view=4f2a9c77aa11bb22c3', 'REDACTED'],
    ['a user', 'custom', 'authorization', 'Custom user=operator-XYZ987654', 'Custom REDACTED'],
  ])('is hidden as a whole, even if it looks like %s', async (_, type, name, secret, shown) => {
    await using test = await start(
      [`${HERE}, credential: ${type}`],
      ({ headers }, response) => reply(response, { body: { you: headers[name] } }),
      secret,
    );
    expect(await test.executor.outcome(test.get())).toMatchObject({ body: { you: shown } });
  });

  it('is shown if the secret has fewer than eight characters', async () => {
    await using test = await start(WITH_HEADER, { body: { you: 'a-short-1-b' } }, 'short-1');
    expect(await test.executor.text(test.get())).toContain('"you":"a-short-1-b"');
  });

  it('cannot be guessed with a schema', async () => {
    await using test = await start(WITH_BEARER, ({ headers }, response) =>
      reply(response, { body: { you: headers.authorization } }),
    );
    const check = async (you: object) => {
      const action = { ...test.get(), response_schema: { properties: { you } } };
      const { outcome, error } = Object(await test.executor.outcome(action));
      return error ?? outcome;
    };
    expect(await check({ pattern: `^Bearer ${SECRET.slice(0, 1)}` })).toBe(
      'SchemaValidationFailed',
    );
    expect(await check({ const: `Bearer ${SECRET}` })).toBe('SchemaValidationFailed');
    expect(await check({ const: 'Bearer REDACTED' })).toBe('success');
  });

  it('cannot be cut in two by a range, nor arrive in another charset or coding', async () => {
    await using test = await start([`${HERE}, paths: ["/mine"], credential: bearer`, HERE]);
    for (const path of ['/mine', '/other'])
      for (const name of ['range', 'Range']) {
        const refusal = await test.executor.refusal(test.get(path, { [name]: 'bytes=0-9' }));
        expect(refusal.code).toBe('InvalidAction');
        expect(refusal.violations).toMatchObject([{ pointer: `/headers/${name}` }]);
      }
    const accept = 'text/csv; charset=utf-16le;q=0.5, text/html;CHARSET = utf-32, a/b;q=0.1';
    const headers = { accept, 'accept-charset': 'utf-16', 'accept-encoding': 'identity' };
    await test.executor.outcome(test.get('/mine', headers));
    expect(test.sent('accept')).toEqual(['text/csv;q=0.5, text/html, a/b;q=0.1']);
    expect(test.sent('accept-charset')).toEqual([undefined]);
    expect(test.sent('accept-encoding')).toEqual(['gzip, br']);
    const elsewhere = test.get('/mine', { range: 'bytes=0-9' }, '127.0.0.1');
    expect((await test.executor.refusal(elsewhere)).code).toBe('DestinationNotAllowed');
  });

  it('is hidden without the spaces around it, which HTTP drops', async () => {
    await using test = await start(
      WITH_HEADER,
      ({ headers }, response) => reply(response, { body: { you: headers['x-api-key'] } }),
      `  ${SECRET}  \n`,
    );
    expect(await test.executor.text(test.get())).toContain('"you":"REDACTED"');
    expect(test.sent('x-api-key')).toEqual([SECRET]);
  });

  it.each([
    ['literally', 'Tok_4F9c1E7A2b8d6035', 'Tok_4F9c1E7A2b8d6035'],
    ['percent-encoded', 'Tok_4F9c1E7A2b8d6035', '%54ok_4F9c1E7A2b8d603%35'],
  ])(
    '%s in a `location` elsewhere is not followed, and is not quoted in lower case',
    async (_, secret, host) => {
      const moved = { status: 302, headers: { location: `https://${host}.evil.test/` } };
      await using test = await start(WITH_BEARER, moved, secret);
      const outcome = await test.executor.outcome(test.get());
      expect(outcome).toMatchObject({ error: 'HttpFailure', status: 302 });
      expect(outcome.message).toContain('would send a credential to another origin');
      expect(JSON.stringify(outcome).toLowerCase()).not.toContain(secret.toLowerCase());
    },
  );

  it('is sent whole if its last byte would be a space in Latin-1', async () => {
    const secret = 'secret-0123456789-voil\u00e0';
    await using test = await start(WITH_HEADER, {}, secret);
    await test.executor.outcome(test.get());
    expect(Buffer.from(String(test.sent('x-api-key')[0]), 'latin1').toString()).toBe(secret);
  });

  it('leaves no new session or token in the headers of a response', async () => {
    await using test = await start(WITH_BEARER, {
      headers: {
        'set-cookie': ['sid=session-1', 'theme=dark'],
        'x-auth-token': 'new-token-1',
        'x-csrf-token': 'new-token-2',
        authorization: 'Bearer new-token-3',
      },
    });
    expect(await test.executor.text(test.get())).not.toMatch(/session-1|new-token/);
  });
});

describe('the header of an added credential', () => {
  it.each([
    ['header', 'X-Api-Key'],
    ['header', 'x-api-key'],
    ['header', 'X_API_KEY'],
    ['header', 'x-api_key'],
    ['basic', 'Authorization'],
    ['bearer', 'authorization'],
    ['bearer', 'AUTHORIZATION'],
  ])('of the type %s must not be set as %s, even if it is empty', async (type, name) => {
    await using test = await start([`${HERE}, credential: ${type}`]);
    for (const value of ['mine', '', ' ']) {
      const action = test.get('/', { [name]: value });
      const refused = { code: 'InvalidAction', violations: [{ pointer: `/headers/${name}` }] };
      expect(await test.executor.refusal(action)).toMatchObject(refused);
      await expect(test.executor.dryRun(action)).rejects.toMatchObject(refused);
    }
    expect(test.upstream.requests).toEqual([]);
  });

  it.each(['X-Api-Key', 'x_api_key'])(
    'is not sent by a redirect into its destination if the caller set %s',
    async (name) => {
      await using test = await start(
        [`${HERE}, paths: [/a], credential: bearer`, `${HERE}, paths: [/b], credential: header`],
        ({ url }, response) =>
          reply(response, url === '/a' ? { status: 302, headers: { location: '/b' } } : {}),
      );
      await test.executor.outcome(test.get('/a', { [name]: 'mine', 'x-other': 'kept' }));
      expect(test.sent(name.toLowerCase())).toEqual(['mine', undefined]);
      expect(test.sent('x-other')).toEqual(['kept', 'kept']);
      expect(test.sent('authorization')).toEqual([`Bearer ${SECRET}`, undefined]);
    },
  );

  it.each([
    ...['authorization', 'cookie', 'true-client-ip', 'x-client-ip', 'x-remote-user'],
    ...['x-original-uri', 'x-original-host', 'x-envoy-original-path', 'x-host'],
  ])("does not keep the caller's own %s from the upstream", async (name) => {
    await using test = await start(WITH_HEADER);
    await test.executor.outcome(test.get('/', { [name]: 'mine' }));
    expect([test.sent(name), test.sent('x-api-key')]).toEqual([['mine'], [SECRET]]);
  });

  it('is a violation beside those of other headers', async () => {
    await using test = await start([`${HERE}, paths: [/open], credential: bearer`]);
    for (const [path, pointers] of [
      ['/open', ['/headers/host', '/headers/Authorization']],
      ['/other', ['/headers/host']],
    ] as const) {
      const refused = await test.executor.refusal(
        test.get(path, { Authorization: 'x', host: 'a' }),
      );
      expect(refused.violations?.map(({ pointer }) => pointer)).toEqual(pointers);
    }
  });
});

describe('the credential of a destination', () => {
  it('is that of the first destination for the caller, or none', async () => {
    await using test = await start([
      `${HERE}, callers: [one], credential: bearer`,
      `${HERE}, callers: [two], credential: other`,
      HERE,
    ]);
    for (const caller of ['one', 'two', 'three', undefined])
      await test.executor.outcome(test.get(), { caller });
    expect(test.sent('authorization')).toEqual([
      `Bearer ${SECRET}`,
      'Bearer another-secret-0123456789',
      undefined,
      undefined,
    ]);
  });

  it('is not sent after a redirect to another origin and back', async () => {
    const locations: Record<string, string> = {
      'localhost/a': '127.0.0.1/b',
      '127.0.0.1/b': 'localhost/c',
      'localhost/c': 'localhost/d',
    };
    await using test = await start(
      [...WITH_BEARER, 'host: "127.0.0.1:PORT", credential: other'],
      ({ url, headers }, response) => {
        const [host, port] = String(headers.host).split(':');
        const [toHost, path] = locations[host + url]?.split('/') ?? [];
        const location = `http://${toHost}:${port}/${path}`;
        reply(response, toHost === undefined ? {} : { status: 302, headers: { location } });
      },
    );
    await test.executor.outcome(test.get('/a'));
    expect(test.upstream.requests.map(({ url }) => url)).toEqual(['/a', '/b', '/c', '/d']);
    const none = [undefined, undefined, undefined];
    expect(test.sent('authorization')).toEqual([`Bearer ${SECRET}`, ...none]);
  });

  it('is unavailable while its file is too large or missing, and then works again', async () => {
    await using test = await start(WITH_BEARER);
    const unavailable = async (why: string) =>
      expect(await test.executor.refusal(test.get())).toMatchObject({
        code: 'CredentialUnavailable',
        message: expect.stringContaining(`its secret file ${why}`),
      });
    truncateSync(test.executor.path('secret'), 3 * 1024 ** 3);
    await unavailable('cannot be read (it is larger than the limit of 4194304 bytes)');
    test.executor.remove('secret');
    await unavailable('cannot be read (ENOENT)');
    test.executor.write('secret', SECRET);
    await test.executor.outcome(test.get());
    expect(test.sent('authorization')).toEqual([`Bearer ${SECRET}`]);
  });
});
