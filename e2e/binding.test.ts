import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgresImage } from './support/postgres.ts';
import { compose, FILES, inside, post, SETTINGS, urlOf } from './support/stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-e2e-'));
const privateKey = join(folder, 'private/policy-key.pem');
const CLI = new URL('../packages/cli/src/main.ts', import.meta.url).pathname;

function keygen(...options: string[]): void {
  const publicKeys = join(folder, 'public/policy-keys.json');
  execFileSync(process.execPath, [CLI, 'keygen', privateKey, '--public', publicKeys, ...options]);
  // The containers' user may be another one than the user who runs this test.
  chmodSync(privateKey, 0o644);
}

const up = (...args: string[]) => compose('up', '--detach', '--build', '--wait', ...args);

beforeAll(async () => {
  for (const name of ['private', 'public']) mkdirSync(join(folder, name));
  keygen();
  FILES.push('deploy/compose/binding.yml');
  SETTINGS.KEYS_DIR = folder;
  await up('policy', 'executor', 'shop');
});
afterAll(async () => {
  await compose('--profile', 'postgres', 'down', '--volumes', '--timeout', '1');
  rmSync(folder, { recursive: true });
});

/** Returns an action that adds an order. */
const order = (name: string) => ({
  method: 'POST',
  url: 'http://shop:3000/orders',
  body: { status: name },
});
type Action = ReturnType<typeof order>;

/** Returns the token with which the policy service allows an action. */
async function decide(action: Action): Promise<string> {
  const facts = { pii: { categories: [] }, legal: { flags: [] } };
  const check = { action, spend: { amount_minor_units: 0, currency: 'EUR' }, ...facts };
  const { document } = await post(`${await urlOf('policy')}/policy/check`, check);
  return (document as { token: string }).token;
}

async function execute(action: Action, token?: string, key?: string, replica?: number) {
  const url = `${await urlOf('executor', replica)}/execute`;
  return post(url, action, {
    ...(token && { 'x-gatehouse-decision': token }),
    ...(key && { 'idempotency-key': key }),
  });
}

/** Counts the orders with a name, as the REST server knows them. */
const orders = async (name: string) => {
  const ask = `fetch('http://shop:3000/orders?status=${name}').then((it) => it.json())`;
  const script = `node -e "${ask}.then((found) => console.log(found.length))"`;
  return Number(await inside('executor', script));
};

const refused = (code: string) => ({ status: 403, document: { code } });
const ordered = (name: string) => ({
  status: 200,
  document: { outcome: 'success', status: 201, body: { status: name } },
});

it('the executor sends nothing without a token', async () => {
  expect(await execute(order('bare'))).toMatchObject(refused('DecisionRequired'));
  expect(await orders('bare')).toBe(0);
});

it('a token lets its action through once, and no other action', async () => {
  const token = await decide(order('once'));
  expect(await execute(order('other'), token)).toMatchObject(refused('DecisionForAnotherAction'));
  expect(await execute(order('once'), token)).toMatchObject(ordered('once'));
  expect(await execute(order('once'), token)).toMatchObject(refused('DecisionUsed'));
  expect([await orders('other'), await orders('once')]).toEqual([0, 1]);
});

it('a new container of the executor still knows keys and used tokens', async () => {
  const token = await decide(order('kept'));
  const first = await execute(order('kept'), token, 'order-1');
  expect(first).toMatchObject({ ...ordered('kept'), isReplayed: false });
  await up('--force-recreate', 'executor');
  const again = await execute(order('kept'), token, 'order-1');
  expect(again).toEqual({ ...first, isReplayed: true });
  expect(await execute(order('kept'), token)).toMatchObject(refused('DecisionUsed'));
  expect(await orders('kept')).toBe(1);
});

it('a new key reaches both services without a restart', async () => {
  const signedBy = async () => {
    const [head = ''] = (await decide(order('rotated'))).split('.');
    return JSON.parse(Buffer.from(head, 'base64url').toString()).kid;
  };
  const before = await signedBy();
  keygen('--add');
  keygen('--use-last');
  await expect.poll(signedBy, { timeout: 10_000 }).not.toBe(before);
  const send = async () => (await execute(order('rotated'), await decide(order('rotated')))).status;
  await expect.poll(send, { timeout: 10_000 }).toBe(200);
});

it('each service mounts only its own key, and cannot write to it', async () => {
  expect(await inside('policy', 'ls /etc/gatehouse-keys')).toContain('No such file');
  expect(await inside('executor', 'ls /run/secrets/signing')).toContain('No such file');
  expect(await inside('policy', 'touch /run/secrets/signing/probe')).toContain('Read-only');
  expect(await inside('executor', 'touch /etc/gatehouse-keys/probe')).toContain('Read-only');
});

const hasPostgres = await hasPostgresImage();
if (!hasPostgres)
  console.warn('LEFT OUT: the image of PostgreSQL cannot be pulled; set POSTGRES_IMAGE.');

describe.skipIf(!hasPostgres)('with PostgreSQL', () => {
  beforeAll(async () => {
    SETTINGS.POSTGRES_PASSWORD = crypto.randomUUID();
    SETTINGS.HTTP_EXECUTOR_STORE = `postgres://gatehouse:${SETTINGS.POSTGRES_PASSWORD}@postgres:5432/gatehouse`;
    await up('--scale', 'executor=2', 'policy', 'executor', 'shop', 'postgres');
  });

  it('two executors share keys and used tokens', async () => {
    for (const replica of [1, 2]) {
      const ready = async () => (await fetch(`${await urlOf('executor', replica)}/readyz`)).status;
      await expect.poll(ready, { timeout: 20_000 }).toBe(200);
    }
    const token = await decide(order('shared'));
    const first = await execute(order('shared'), token, 'order-2', 1);
    expect(first).toMatchObject({ ...ordered('shared'), isReplayed: false });
    const again = await execute(order('shared'), token, 'order-2', 2);
    expect(again).toEqual({ ...first, isReplayed: true });
    const other = await execute(order('shared'), token, undefined, 2);
    expect(other).toMatchObject(refused('DecisionUsed'));
    expect(await orders('shared')).toBe(1);
  });

  it('PostgreSQL has no privileges, and can write only its data', async () => {
    expect(await inside('postgres', 'id -un')).toBe('postgres');
    expect(await inside('postgres', 'cat /proc/self/status')).toMatch('CapBnd:\t0000000000000000');
    expect(await inside('postgres', 'touch /etc/probe')).toContain('Read-only file system');
  });
});
