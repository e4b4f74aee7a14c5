import { once } from 'node:events';
import { connect } from 'node:tls';
import { authority, type Certificate, certificate } from '@gatehouse/testing';
import { Agent, request } from 'undici';
import { describe, expect, it } from 'vitest';
import { readServiceSettings } from '../../src/index.ts';
import { scratchFiles } from '../support/files.ts';
import { startServer } from '../support/server.ts';

const file = scratchFiles();
const ca = await authority('ours');
const served = await certificate('server', ca);

const NAMED = 'token-of-a-bot-0123456789';
const UNNAMED = 'token-of-no-one-0123456789';
const SCRAPER = 'token-of-prometheus-0123';

async function start(settings: Record<string, string> = {}) {
  const { access } = readServiceSettings(
    'X',
    {},
    {
      X_TLS_CERT_FILE: await file(served.cert),
      X_TLS_KEY_FILE: await file(served.key),
      X_TLS_CLIENT_CA_FILE: await file(ca.cert),
      ...settings,
    },
  ).config;
  return startServer(
    (app) => void app.get('/caller', ({ caller }) => ({ caller: caller ?? 'none' })),
    { access },
  );
}

type Running = Awaited<ReturnType<typeof start>>;

/**
 * Sends the same request twice over one new connection. Returns the answer, which must not change.
 */
async function ask({ url }: Running, client: Certificate, headers: object = {}, path = '/caller') {
  const dispatcher = new Agent({ connect: { ca: ca.cert, ...client }, connections: 1 });
  const answers = [];
  for (let count = 0; count < 2; count++) {
    const { body, statusCode } = await request(`${url}${path}`, {
      dispatcher,
      headers: { ...headers },
    });
    const text = await body.text();
    answers.push(path === '/caller' && statusCode === 200 ? JSON.parse(text).caller : statusCode);
  }
  await dispatcher.close();
  expect(answers[0]).toBe(answers[1]);
  return answers[0];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('the common name of a client certificate', () => {
  const valid = ['planner-1', 'a', 'A.b_c-9', 'x'.repeat(64)];
  const invalid = ['x'.repeat(65), 'two words', 'planner@example.com', 'planner\n', 'planner\0'];
  it.each<[name: string, caller: string]>([
    ...valid.map((name): [string, string] => [name, name]),
    ...[...invalid, 'plännner', ''].map((name): [string, string] => [name, 'none']),
  ])('%j is the caller %s', async (name, caller) => {
    await using server = await start();
    expect(await ask(server, await certificate(name, ca))).toBe(caller);
  });

  it('is not a caller if there are two', async () => {
    await using server = await start();
    expect(await ask(server, await certificate(['one', 'two'], ca))).toBe('none');
  });

  it('is the caller where no token names one', async () => {
    await using server = await start({
      X_API_TOKENS: `bot:${NAMED},${UNNAMED}`,
      X_METRICS_TOKEN: SCRAPER,
    });
    const planner = await certificate('planner', ca);
    expect(await ask(server, planner, bearer(NAMED))).toBe('bot');
    expect(await ask(server, planner, bearer(UNNAMED))).toBe('planner');
    expect(await ask(server, await certificate('no name', ca), bearer(UNNAMED))).toBe('none');
    expect(await ask(server, planner)).toBe(401);
    expect(await ask(server, planner, bearer(SCRAPER))).toBe(403);
    expect(await ask(server, planner, bearer(SCRAPER), '/metrics')).toBe(200);
    expect(await ask(server, planner, {}, '/metrics')).toBe(401);
    const callers = server.lines().filter(({ path }) => path === '/caller');
    expect(new Set(callers.map(({ caller }) => caller))).toEqual(
      new Set(['bot', 'planner', undefined]),
    );
  });

  it('is in metrics, and is verified again because no session is resumed', async () => {
    await using server = await start();
    const planner = await certificate('planner', ca);
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      let session: Buffer | undefined;
      for (let time = 0; time < 2; time += 1) {
        const socket = connect({
          ...{ port: server.port, servername: 'localhost', ca: ca.cert, ...planner },
          ...{ minVersion: version, maxVersion: version },
          ...(session && { session }),
        });
        await once(socket, 'secureConnect');
        expect(socket.isSessionReused()).toBe(false);
        socket.write('GET /caller HTTP/1.1\r\nhost: x\r\n\r\n');
        expect(String(await once(socket, 'data'))).toContain('"caller":"planner"');
        session = socket.getSession();
        socket.destroy();
      }
    }
    const dispatcher = new Agent({ connect: { ca: ca.cert, ...planner } });
    const { body } = await request(`${server.url}/metrics`, { dispatcher });
    expect(await body.text()).toContain(
      'caller_requests_total{caller="planner",http_response_status_code="200"} 4',
    );
    await dispatcher.close();
  });
});
