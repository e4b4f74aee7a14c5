import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readDestinations } from '@gatehouse/http-executor';
import {
  authority,
  certificate,
  type Handler,
  reply,
  startService,
  startUpstream,
} from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';

const textOf = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
const EXAMPLE = await textOf('examples/destinations/destinations.yaml');
const BLOCKS = [...(await textOf('docs/destinations.md')).matchAll(/```yaml\n(.*?)```/gs)].map(
  ([, text = '']) => text,
);

const SECRETS = Object.fromEntries(
  ['github', 'stripe_read', 'stripe_refund', 'erp', 'stock'].map((name) => [
    name,
    `secret-of-${name}-0123456789`,
  ]),
);
const TOKENS = ['planner', 'reporter', 'refunds'].map((name) => `${name}:token-of-${name}-0123`);

/** Answers `/oauth2/token` with a token, and any other request with that request's headers. */
const echo: Handler = ({ url, headers }, response) => {
  if (url === '/oauth2/token')
    return reply(response, { body: { access_token: 'token-from-erp-1', token_type: 'bearer' } });
  reply(response, { body: headers });
};

async function startServers() {
  const ca = await authority('internal');
  const [server, client] = [await certificate('server', ca), await certificate('client', ca)];
  const mutual = { ...server, ca: ca.cert, requestCert: true, rejectUnauthorized: true };
  return { ca, client, rest: await startUpstream(echo), stock: await startUpstream(echo, mutual) };
}

type Servers = Awaited<ReturnType<typeof startServers>>;

/** Returns the example with local servers in place of its hosts. */
const localExample = ({ rest, stock }: Servers) =>
  EXAMPLE.replace('https://login.example.com', rest.origin)
    .replace('stock.internal.example.com:8443', `localhost:${stock.port}`)
    .replaceAll(/host: (?:api|erp)\.(\w+)\.\w+/g, `host: 127.0.0.1:${rest.port}`);

async function writeFiles(folder: string, servers: Servers): Promise<void> {
  const files = {
    'destinations.yaml': localExample(servers),
    'tls/internal-ca.pem': servers.ca.cert,
    'tls/gatehouse.pem': servers.client.cert,
    'secrets/gatehouse.key': servers.client.key,
    ...Object.fromEntries(Object.entries(SECRETS).map(([name, text]) => [`secrets/${name}`, text])),
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), `${text}\n`, { mode: 0o600 });
  }
}

describe('the examples in docs/destinations.md', () => {
  it('have no mistakes, and together are the example file', () => {
    const parts = BLOCKS.map((text) => readDestinations(text, 'docs/destinations.md'));
    const whole = readDestinations(EXAMPLE, 'destinations.yaml');
    expect(parts).toHaveLength(4);
    const sources = parts.flatMap(({ all }) => all.map(({ source }) => source));
    expect(sources).toEqual(whole.all.map(({ source }) => source));
    expect(Object.assign({}, ...parts.map(({ credentials }) => credentials))).toEqual(
      whole.credentials,
    );
  });

  it('reach local servers with their credentials, and refuse everything else', async () => {
    const servers = await startServers();
    await using rest = servers.rest;
    await using stock = servers.stock;
    await using folder = await mkdtempDisposable(join(tmpdir(), 'gatehouse-'));
    await writeFiles(folder.path, servers);
    await using executor = await startService('executor', {
      HTTP_EXECUTOR_DESTINATIONS_FILE: join(folder.path, 'destinations.yaml'),
      HTTP_EXECUTOR_API_TOKENS: TOKENS.join(),
    });
    const execute = async (caller: string, method: string, url: string) => {
      const response = await fetch(`${executor.url}/execute`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer token-of-${caller}-0123`,
        },
        body: JSON.stringify({ method, url }),
      });
      const text = await response.text();
      for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
      const { outcome, code } = JSON.parse(text);
      return outcome ?? code;
    };
    for (const [caller, method, path, authorization] of [
      ['reporter', 'GET', '/repos/acme/shop/issues', `Bearer ${SECRETS.github}`],
      ['planner', 'POST', '/repos/acme/shop/issues', `Bearer ${SECRETS.github}`],
      ['planner', 'GET', '/v1/charges/ch_1', `Bearer ${SECRETS.stripe_read}`],
      ['refunds', 'POST', '/v1/refunds', `Bearer ${SECRETS.stripe_refund}`],
      ['planner', 'GET', '/api/orders/1', 'Bearer token-from-erp-1'],
    ] as const) {
      expect(await execute(caller, method, rest.origin + path), path).toBe('success');
      expect(rest.requests.at(-1)).toMatchObject({ url: path, headers: { authorization } });
    }
    expect(await execute('planner', 'GET', `${stock.origin}/items`)).toBe('success');
    expect(stock.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': SECRETS.stock });
    const sent = rest.requests.length + stock.requests.length;
    for (const [caller, method, url] of [
      ['reporter', 'POST', `${rest.origin}/repos/acme/shop/issues`],
      ['planner', 'GET', `${rest.origin}/repos/other/shop/issues`],
      ['planner', 'POST', `${rest.origin}/v1/refunds`],
      ['planner', 'GET', `${rest.origin}/api/orders/../users`],
      ['planner', 'DELETE', `${stock.origin}/items`],
    ] as const)
      expect(await execute(caller, method, url), url).toBe('DestinationNotAllowed');
    expect(rest.requests.length + stock.requests.length).toBe(sent);
  });
});
