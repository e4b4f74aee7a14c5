import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf } from './support/bodies.ts';
import {
  compose,
  docker,
  inside,
  inspect,
  postTo,
  SERVICES,
  type Service,
  UNUSED_ADDRESS,
  urlOf,
} from './support/stack.ts';

const MIB = 1024 * 1024;
const BASE_IMAGE = process.env.NODE_IMAGE ?? 'node:26-bookworm-slim';

let startMs: number;
beforeAll(async () => {
  await compose('--profile', 'demo', 'down', '--volumes', '--timeout', '1');
  await compose('build');
  const begun = performance.now();
  await compose('up', '--detach', '--wait');
  startMs = performance.now() - begun;
  console.log(`up --wait: ${(startMs / 1000).toFixed(1)} s`);
});
afterAll(() => compose('--profile', 'demo', 'down', '--volumes', '--timeout', '1'));

it('the stack is healthy within 30 s', () => {
  expect(startMs).toBeLessThan(30_000);
});

describe('a plan', () => {
  const independent = {
    depends_on: [],
    spend: { amount_minor_units: 0, currency: 'EUR' },
    pii: { categories: [] },
    legal: { flags: [] },
  };
  const get = (url: string) => ({ method: 'GET', url });

  it('goes through the gateway, the policy and the executor to the REST server', async () => {
    const steps = [
      { id: 'read', action: get('http://shop:3000/products/1'), ...independent },
      {
        id: 'order',
        action: { method: 'POST', url: 'http://shop:3000/orders', body: { status: 'open' } },
        ...independent,
      },
      { id: 'elsewhere', action: get('http://example.com/'), ...independent },
      { id: 'inwards', action: get('http://policy:8081/healthz'), ...independent },
      {
        id: 'costly',
        action: get('http://shop:3000/products'),
        ...independent,
        spend: { amount_minor_units: 20_000, currency: 'EUR' },
      },
      {
        id: 'faces',
        action: get('http://shop:3000/customers'),
        ...independent,
        pii: { categories: ['biometric'] },
      },
    ];
    const { status, document } = await postTo('gateway', '/plans', { steps });
    expect(status).toBe(200);
    expect(document).toMatchObject({
      status: 'denied',
      steps: [
        { state: 'executed', outcome: { outcome: 'success', status: 200, body: { id: '1' } } },
        {
          state: 'executed',
          outcome: { outcome: 'success', status: 201, body: { status: 'open' } },
        },
        { state: 'refused', problem: { code: 'HostNotAllowed' } },
        { state: 'refused', problem: { code: 'HostNotAllowed' } },
        { state: 'awaiting_approval' },
        { state: 'denied' },
      ],
    });
  });

  it('has the expected results in the table that the demo prints', async () => {
    const output = await compose('--profile', 'demo', 'up', '--no-log-prefix', 'demo');
    const printed = stripVTControlCharacters(output);
    expect(printed).toMatch(/step +decision +outcome +attempts +ms/);
    expect(printed).toMatch(
      /(\d\d) of \1 lines as expected\.\s+The plan ended as denied \(as expected\)/,
    );
  });
});

describe.each([
  ['300 KB', 300_000],
  ['5 MB', 5_000_000],
])('a response of %s', (_name, bytes) => {
  const schema = { type: 'object', properties: { items: { items: { required: ['price'] } } } };
  const claims = { spend: { amount_minor_units: 0, currency: 'EUR' } };
  const step = { id: 'large', ...claims, pii: { categories: [] }, legal: { flags: [] } };

  it.each([
    ['without a schema', undefined],
    ['with a new schema', schema],
    ['with a schema seen before', schema],
  ])('%s arrives unchanged from the executor and through the gateway', async (_case, each) => {
    const action = { method: 'GET', url: `http://bodies:3000/${bytes}`, response_schema: each };
    const replies = [
      await postTo('executor', '/execute', action),
      await postTo('gateway', '/plans', { steps: [{ ...step, action }] }),
    ];
    // On a failure, `toContain` would print megabytes, so compare booleans instead.
    const found = replies.map(({ status, text }) => ({
      status,
      whole: text.includes(`"body":${bodyOf(bytes)}`),
    }));
    expect(found).toEqual(replies.map(() => ({ status: 200, whole: true })));
  });
});

const BUNDLED: ReadonlySet<string> = new Set(['policy', 'executor']);

describe.each(SERVICES)('the container of %s', (service) => {
  it('runs as uid 1000, has no capabilities and cannot gain any', async () => {
    expect(await inside(service, 'id -u')).toBe('1000');
    const status = await inside(service, 'cat /proc/self/status');
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(status).toMatch(`${set}:\t0000000000000000`);
    expect(status).toMatch('NoNewPrivs:\t1');
  });

  it('can write to /tmp, the executor also to its store, and nowhere else', async () => {
    const own = BUNDLED.has(service) ? '/app/cache' : '/app/node_modules';
    for (const folder of ['/app', own, '/', '/home/node', '/usr/local/bin', '/var/lib']) {
      expect(await inside(service, `touch ${folder}/probe`), folder).toContain(
        'Read-only file system',
      );
    }
    expect(await inside(service, 'touch /tmp/probe && rm /tmp/probe')).toBe('');
    const store = await inside(service, 'ls -ld /var/lib/gatehouse /var/lib/gatehouse/executor.db');
    if (service === 'executor')
      expect(store).toMatch(/^drwx-{6} .* node +node .*\n-rw-{7} .* node +node /);
    else expect(store).toContain('No such file or directory');
  });

  it('contains only a bundle, or sources and production dependencies', async () => {
    const source = `find /app -name '*.ts' -o -name node_modules | wc -l`;
    if (BUNDLED.has(service)) expect(await inside(service, source)).toBe('0');
    const ours = `find /app -name node_modules -prune -o -name '*.test.ts' -print -o -name '.*' -print`;
    const theirs =
      'ls /app/node_modules/.pnpm | grep -E "^(vitest|typescript|autocannon|node|fast-check)@" || true';
    expect([await inside(service, ours), await inside(service, theirs)]).toEqual(['', '']);
  });

  it('adds less than 60 MiB to its base image', async () => {
    const sizeOf = async (image: string) =>
      Number(await docker('image', 'inspect', '--format', '{{.Size}}', image));
    const above = (await sizeOf((await inspect(service)).Image)) - (await sizeOf(BASE_IMAGE));
    console.log(`${service}: ${(above / MIB).toFixed(1)} MiB above ${BASE_IMAGE}`);
    expect(above).toBeLessThan(60 * MIB);
  });

  it('listens on only one port', async () => {
    const port = { policy: 8081, executor: 8092, gateway: 8070, shop: 3000 }[service];
    expect(await listening(service)).toEqual([port]);
    const published = Object.entries((await inspect(service)).NetworkSettings.Ports).flatMap(
      ([inner, outer]) => (outer ?? []).map(({ HostIp }) => `${HostIp} → ${inner}`),
    );
    expect(published).toEqual(service === 'shop' ? [] : [`127.0.0.1 → ${port}/tcp`]);
  });
});

/** Lists the TCP ports on which a container listens, except the port of Docker's DNS server. */
async function listening(service: Service): Promise<number[]> {
  const sockets = (await inside(service, 'cat /proc/net/tcp /proc/net/tcp6')).matchAll(
    /\d+: (\w+):(\w+) \w+:\w+ 0A/g,
  );
  const ports = [...sockets]
    .filter(([, address]) => address !== '0B00007F')
    .map(([, , port = '']) => Number(`0x${port}`));
  return [...new Set(ports)];
}

it('only the executor can reach the REST server', async () => {
  const ask = `node -e "fetch('http://shop:3000/products').then(({ status }) => console.log(status), ({ cause }) => console.log(cause.code))"`;
  expect(await inside('executor', ask)).toBe('200');
  for (const service of ['policy', 'gateway'] as const)
    expect(await inside(service, ask)).toMatch(/ENOTFOUND|EAI_AGAIN/);
});

describe('a service that crashes', () => {
  it.each(['policy', 'executor'] as const)('%s answers again within 10 s', async (service) => {
    const { RestartCount: before } = await inspect(service);
    // Docker never restarts a container after `docker kill`, so kill Node inside the container.
    const kill =
      'for each in /proc/[0-9]*; do case "$(readlink $each/exe)" in */node) kill -9 $(basename $each);; esac; done';
    await inside(service, kill).catch(() => 'ended with the container');
    const begun = performance.now();
    const answer = async () => (await fetch(`${await urlOf(service)}/healthz`)).status;
    const back = async () => [
      (await inspect(service)).RestartCount,
      await answer().catch(() => 'no answer'),
    ];
    await expect.poll(back, { timeout: 10_000, interval: 100 }).toEqual([before + 1, 200]);
    console.log(
      `${service}: answers ${((performance.now() - begun) / 1000).toFixed(1)} s after the crash`,
    );
  });
});

describe('docker compose stop', () => {
  it('lets a request in flight finish, and every service exits with code 0', async () => {
    const action = { method: 'POST', url: `http://${UNUSED_ADDRESS}/`, body: {} };
    const inFlight = postTo('executor', '/execute', action);
    const metrics = `${await urlOf('executor')}/metrics`;
    const active = async () => (await fetch(metrics)).text();
    // The request for the metrics is in flight too.
    await expect.poll(active, { timeout: 3_000 }).toMatch(/^http_server_active_requests [2-9]/m);
    const begun = performance.now();
    await compose('stop');
    console.log(`stop: ${((performance.now() - begun) / 1000).toFixed(1)} s`);

    expect(await inFlight).toMatchObject({
      status: 200,
      document: { outcome: 'failure', error: 'ConnectFailure' },
    });
    for (const service of SERVICES)
      expect([service, (await inspect(service)).State.ExitCode]).toEqual([service, 0]);
  });
});
