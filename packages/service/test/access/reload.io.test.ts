import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { authority, type Certificate, certificate, replaceFile } from '@gatehouse/testing';
import { Agent, request } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { readServiceSettings } from '../../src/index.ts';
import { startServer } from '../support/server.ts';
import { SERVICES, startService } from '../support/services.ts';

const ca = await authority('ours');
const otherCa = await authority('another');
const first = await certificate('first', ca);
const second = await certificate('second', ca);
const client = await certificate('client', ca);
const otherClient = await certificate('client', otherCa);

const eventually = (holds: () => boolean | Promise<boolean>) =>
  vi.waitUntil(holds, { timeout: 60_000, interval: 20 });

function folder() {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-reload-'));
  const path = (name: string) => join(root, name);
  return {
    path,
    /** Writes or replaces a file and returns its path. */
    put: (name: string, content: string) => {
      replaceFile(path(name), content);
      return path(name);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

type Folder = ReturnType<typeof folder>;

async function serve(env: Record<string, string>) {
  const { access } = readServiceSettings('X', {}, env).config;
  const options = { access, pollMs: 20 };
  const server = await startServer((app) => void app.get('/hello', () => ({})), options);
  const linesOf = (level: string) =>
    server.lines().filter((line) => line.level === level && String(line.msg).includes('changed'));
  return Object.assign(server, {
    linesOf,
    statusFor: async (token: string, path = '/hello') => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${server.url}${path}`, { headers })).status;
    },
    /** Makes a change and waits for its log line. */
    after: async (level: string, change: () => void) => {
      const before = linesOf(level).length;
      change();
      await eventually(() => linesOf(level).length > before);
      return linesOf(level).at(-1);
    },
  });
}

const ONE = 'token-one-0123456789';
const TWO = 'token-two-0123456789';
const OF_ENV = 'token-of-the-setting';

describe.concurrent('a changed token file', () => {
  it('takes effect for the next request, and the log counts tokens and callers', async () => {
    using files = folder();
    const path = files.put('tokens', `a:${ONE}`);
    await using server = await serve({ X_API_TOKENS: OF_ENV, X_API_TOKENS_FILE: path });
    expect(await server.statusFor(ONE)).toBe(200);
    const line = await server.after('info', () => files.put('tokens', `b:${TWO}\nb:${TWO}-more`));
    expect(line).toMatchObject({
      msg: 'tokens changed',
      setting: 'X_API_TOKENS_FILE',
      tokens: 3,
      callers: 1,
    });
    expect(await server.statusFor(ONE)).toBe(401);
    for (const token of [TWO, `${TWO}-more`, OF_ENV])
      expect(await server.statusFor(token)).toBe(200);
    for (const token of [ONE, TWO, OF_ENV]) expect(server.log).not.toContain(token);
  });

  it.each<[name: string, content: string | undefined, reason: string]>([
    ['emptied', '', 'must contain at least one token'],
    ['blank', '\n\n', 'must contain at least one token'],
    ['removed', undefined, 'ENOENT'],
    ['replaced by a folder', '/', 'it is not a regular file'],
    ['malformed', `a:${TWO}\na b`, 'replace entry 2'],
    ['in conflict with the setting', `b:${OF_ENV}`, 'X_API_TOKENS_FILE must not assign a token'],
    ['a copy of the metrics token', `b:${TWO}-metrics`, 'X_METRICS_TOKEN must not contain a token'],
  ])('that is %s leaves the last good file in force', async (_name, content, reason) => {
    using files = folder();
    const path = files.put('tokens', `a:${ONE}`);
    await using server = await serve({
      X_API_TOKENS: `a:${OF_ENV}`,
      X_API_TOKENS_FILE: path,
      X_METRICS_TOKEN: `${TWO}-metrics`,
    });
    const line = await server.after('error', () => {
      rmSync(path);
      if (content === '/') mkdirSync(path);
      else if (content !== undefined) files.put('tokens', content);
    });
    expect(line?.reason).toMatch(
      /^X_API_TOKENS_FILE (?:is refused: X_(?:API_TOKENS_FILE|METRICS_TOKEN) )?must /,
    );
    expect(line?.reason).toContain(reason);
    for (const token of [ONE, OF_ENV]) expect(await server.statusFor(token)).toBe(200);
    expect((await fetch(`${server.url}/hello`)).status).toBe(401);
    expect(await server.statusFor(TWO)).toBe(401);
    expect(await server.statusFor(`${TWO}-metrics`)).toBe(403);
    for (const token of [ONE, TWO, OF_ENV]) expect(server.log).not.toContain(token);
    if (content === '/') rmdirSync(path);
    await server.after('info', () => files.put('tokens', `c:${TWO}`));
    expect([await server.statusFor(ONE), await server.statusFor(TWO)]).toEqual([401, 200]);
  });

  it('with metrics tokens is reread, but must not contain a caller token', async () => {
    using files = folder();
    const path = files.put('metrics', ONE);
    const X_API_TOKENS_FILE = files.put('tokens', OF_ENV);
    await using server = await serve({ X_API_TOKENS_FILE, X_METRICS_TOKEN_FILE: path });
    await server.after('info', () => files.put('metrics', TWO));
    expect(await server.statusFor(ONE, '/metrics')).toBe(401);
    expect(await server.statusFor(TWO, '/metrics')).toBe(200);
    const line = await server.after('error', () => files.put('metrics', OF_ENV));
    expect(line?.reason).toContain('X_METRICS_TOKEN_FILE must not contain a token');
    expect(await server.statusFor(TWO, '/metrics')).toBe(200);
    expect(await server.statusFor(OF_ENV)).toBe(200);
    expect(server.linesOf('info').map(({ setting }) => setting)).toEqual(['X_METRICS_TOKEN_FILE']);
  });

  it('takes effect beside a pipe, which is read only once, at startup', async () => {
    using files = folder();
    const pipe = files.path('pipe');
    execFileSync('mkfifo', [pipe]);
    spawn('sh', ['-c', `echo ${ONE} > ${pipe}`]);
    const X_METRICS_TOKEN_FILE = files.put('metrics', TWO);
    await using server = await serve({ X_API_TOKENS_FILE: pipe, X_METRICS_TOKEN_FILE });
    await server.after('info', () => files.put('metrics', OF_ENV));
    expect([await server.statusFor(ONE), await server.statusFor(OF_ENV, '/metrics')]).toEqual([
      200, 200,
    ]);
    expect(server.linesOf('error')).toEqual([]);
  });

  it('takes effect while another file is refused', async () => {
    using files = folder();
    const env = {
      X_API_TOKENS_FILE: files.put('tokens', `${ONE}\n${TWO}`),
      X_METRICS_TOKEN_FILE: files.put('metrics', OF_ENV),
    };
    await using server = await serve(env);
    await server.after('error', () => files.put('metrics', ONE));
    await server.after('info', () => files.put('tokens', `${ONE}\n${ONE}-more`));
    expect([await server.statusFor(ONE), await server.statusFor(TWO)]).toEqual([200, 401]);
    expect(await server.statusFor(OF_ENV, '/metrics')).toBe(200);
  });
});

function putPair(files: Folder, { cert, key }: Certificate) {
  return { X_TLS_CERT_FILE: files.put('cert', cert), X_TLS_KEY_FILE: files.put('key', key) };
}

interface Shown {
  readonly name: unknown;
  readonly resumed: boolean;
  readonly session: Buffer | undefined;
}

/**
 * Opens a new connection and sends a request. Returns the name in the server's certificate and the
 * TLS session.
 */
async function connection(port: number, options: object = {}): Promise<Shown> {
  const socket: TLSSocket = connect({
    ...{ port, host: '127.0.0.1', servername: 'localhost', ca: ca.cert },
    ...options,
  });
  let session: Buffer | undefined;
  socket.on('session', (sent) => {
    session = sent;
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  const name = socket.getPeerCertificate().subject?.CN;
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  if (!String(answer).startsWith('HTTP/1.1 200')) throw new Error(`refused: ${answer}`);
  const resumed = socket.isSessionReused();
  socket.destroy();
  return { name, resumed, session };
}

const nameAt = async (port: number, options = {}) => (await connection(port, options)).name;

describe.concurrent('a rotated certificate', () => {
  it.each([
    ['key', 'cert'],
    ['cert', 'key'],
  ] as const)('is used once it fits, if the %s comes first', async (before, after) => {
    using files = folder();
    await using server = await serve(putPair(files, first));
    const agent = new Agent({ connect: { ca: ca.cert }, connections: 1 });
    const onOldConnection = async () => {
      const { statusCode, body, headers } = await request(`${server.url}/hello`, {
        dispatcher: agent,
      });
      await body.dump();
      return [statusCode, headers.connection];
    };
    const opened: URL[] = [];
    agent.on('connect', (origin) => opened.push(origin));
    expect(await onOldConnection()).toEqual([200, 'keep-alive']);
    const conflict = await server.after('error', () => files.put(before, second[before]));
    expect(conflict?.reason).toContain(
      'X_TLS_KEY_FILE does not belong to the certificate in X_TLS',
    );
    expect(await nameAt(server.port)).toBe('first');
    const line = await server.after('info', () => files.put(after, second[after]));
    expect(line).toMatchObject({
      msg: 'TLS files changed',
      valid_to: expect.stringMatching(/GMT$/),
    });
    expect(await nameAt(server.port)).toBe('second');
    expect(await onOldConnection()).toEqual([200, 'keep-alive']);
    expect(opened).toHaveLength(1);
    await agent.close();
    expect(server.log).not.toContain('PRIVATE KEY');
  });

  it('keeps the lowest TLS version, and causes a warning if it has expired', async () => {
    using files = folder();
    await using server = await serve(putPair(files, first));
    await server.after('info', () => putPair(files, second));
    const ciphers = 'DEFAULT@SECLEVEL=0';
    const with1 = (version: string) =>
      connection(server.port, { minVersion: version, maxVersion: version, ciphers });
    await expect(with1('TLSv1.1')).rejects.toThrow();
    expect(await with1('TLSv1.2')).toMatchObject({ name: 'second' });
    const past = { notBeforeDate: new Date(0), notAfterDate: new Date(1) };
    const old = await certificate('old', ca, past);
    await server.after('info', () => putPair(files, old));
    await expect.poll(() => server.log).toContain('the TLS certificate expired on');
  });

  it.each([
    ['emptied', 'cert', '', 'must name a file of complete PEM'],
    ['broken', 'cert', first.cert.replace(/^M.{20}/m, 'M'.repeat(21)), 'must name a file of com'],
    ['emptied', 'key', '', 'must name a file with one PEM private key'],
    ['broken', 'key', first.key.slice(0, 80), 'must name a file with one PEM private key'],
  ] as const)('that is %s (%s) leaves the last good pair', async (_name, file, content, reason) => {
    using files = folder();
    await using server = await serve(putPair(files, first));
    const line = await server.after('error', () => files.put(file, content));
    expect(line?.reason).toContain(`X_TLS_${file.toUpperCase()}_FILE ${reason}`);
    expect(await nameAt(server.port)).toBe('first');
    await server.after('info', () => putPair(files, second));
    expect(await nameAt(server.port)).toBe('second');
    expect(server.log).not.toContain('PRIVATE KEY');
  });
});

describe.concurrent('changed authorities for client certificates', () => {
  it('apply to new connections, which never resume a session', async () => {
    using files = folder();
    const X_TLS_CLIENT_CA_FILE = files.put('clients', ca.cert);
    await using server = await serve({ ...putPair(files, first), X_TLS_CLIENT_CA_FILE });
    const { session } = await connection(server.port, client);
    expect(session).toBeDefined();
    expect(await connection(server.port, { ...client, session })).toMatchObject({ resumed: false });
    await expect(connection(server.port, otherClient)).rejects.toThrow();
    await server.after('error', () => files.put('cert', ''));
    await server.after('info', () => files.put('clients', otherCa.cert));
    expect(await nameAt(server.port, otherClient)).toBe('first');
    for (const refused of [client, { ...client, session }, {}])
      await expect(connection(server.port, refused)).rejects.toThrow();
    await server.after('error', () => files.put('clients', ''));
    expect(await nameAt(server.port, otherClient)).toBe('first');
    await expect(connection(server.port, client)).rejects.toThrow();
    await server.after('info', () => putPair(files, second));
    expect(await nameAt(server.port, otherClient)).toBe('second');
  });
});

describe.each(SERVICES)('the $name process', { concurrent: true }, (service) => {
  it('rereads tokens, certificate and key, also on SIGHUP', async () => {
    using files = folder();
    const { X_TLS_CERT_FILE: TLS_CERT_FILE, X_TLS_KEY_FILE: TLS_KEY_FILE } = putPair(files, first);
    const API_TOKENS_FILE = files.put('tokens', ONE);
    await using running = await startService(service, {
      ...{ API_TOKENS_FILE, TLS_CERT_FILE, TLS_KEY_FILE },
    });
    putPair(files, second);
    files.put('tokens', TWO);
    running.signal('SIGHUP');
    await eventually(async () => (await nameAt(running.port)) === 'second');
    const statusOf = async (token: string) => {
      const dispatcher = new Agent({ connect: { ca: ca.cert } });
      const headers = { authorization: `Bearer ${token}` };
      const { statusCode, body } = await request(`${running.url}/nowhere`, { dispatcher, headers });
      await body.dump();
      await dispatcher.close();
      return statusCode;
    };
    await eventually(async () => (await statusOf(TWO)) === 404);
    expect(await statusOf(ONE)).toBe(401);
    const errors = () => running.lines().filter(({ level }) => level === 'error').length;
    for (const name of ['tokens', 'cert']) files.put(name, '');
    await eventually(() => errors() === 2);
    running.signal('SIGHUP');
    await eventually(() => errors() === 4);
    expect(await running.stop()).toEqual({ code: 0, signal: null });
    expect(errors()).toBe(4);
    for (const secret of [ONE, TWO, 'PRIVATE KEY']) expect(running.output).not.toContain(secret);
  });

  it('survives SIGHUP without files', async () => {
    await using running = await startService(service, {});
    running.signal('SIGHUP');
    await running.printed(/nothing to reload, because no setting points to a reloadable file/);
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
  });
});
