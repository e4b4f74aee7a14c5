import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { startService } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filesOfTests, run } from './support/command.ts';

const { folder, fileOf } = filesOfTests();
const PLANNER = 'planner-0123456789';
const ALICE = 'alice-0123456789';

const ACTION = {
  ...{
    method: 'POST',
    url: 'https://api.stripe.com/v1/refunds',
    body: { amount: 25_000, why: '\u001b[31m' },
  },
  headers: { authorization: 'Bearer s3cr3t', 'x-tenant': 'acme' },
};
const CHECK = {
  ...{ spend: { amount_minor_units: 25_000, currency: 'EUR' }, pii: { categories: [] } },
  ...{ legal: { flags: [] }, action: ACTION },
};

let policy: Awaited<ReturnType<typeof startService>>;
let token: string;
beforeAll(async () => {
  const key = `${folder}/key.pem`;
  expect((await run('keygen', key)).code).toBe(0);
  policy = await startService('policy', {
    POLICY_SIGNING_KEY_FILE: key,
    POLICY_API_TOKENS: `planner:${PLANNER}`,
    POLICY_APPROVER_TOKENS: `alice:${ALICE}`,
  });
  token = fileOf(`${ALICE}\n`);
});
afterAll(() => policy[Symbol.asyncDispose]());

async function check(more: object = {}) {
  const response = await fetch(`${policy.url}/policy/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${PLANNER}` },
    body: JSON.stringify({ ...CHECK, ...more }),
  });
  return (await response.json()) as Record<string, string>;
}

const approve = (request: string, ...more: string[]) =>
  run('approve', request, '--policy-url', policy.url, '--token-file', token, ...more);

it('gatehouse approve approves a request, and the check then passes', async () => {
  const { approval_request = '' } = await check();
  const approved = await approve(fileOf(approval_request), '--yes', '--json', '--valid-for', '60');
  expect(approved).toMatchObject({ code: 0, err: '' });
  const { approval, approved_by } = JSON.parse(approved.out);
  expect(approved_by).toBe('alice');
  const { decision, token: permit } = await check({ approval });
  expect([decision, typeof permit]).toEqual(['allow', 'string']);
  await policy.printed(/"approved_by":"alice"/);
  expect(policy.output).not.toContain('"level":"error"');
});

it('shows the whole action from the signed text, and needs a terminal to ask', async () => {
  const { approval_request = '' } = await check();
  const { code, out, err } = await approve(approval_request);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('POST https://api.stripe.com/v1/refunds');
  expect(err).toContain('header authorization: (not shown)');
  expect(err).toContain('header x-tenant: acme');
  expect(err).toContain('body: {"amount":25000,"why":"\\u001b[31m"}');
  expect(err).toContain('claimed spend: {"amount_minor_units":25000,"currency":"EUR"}');
  expect(err).toContain('EUR 250.00 is above the limit of EUR 100.00 and needs approval.');
  expect(err).toContain('Asked for by planner;');
  expect(err).toContain('run this in a terminal, or pass --yes');
});

it.each<[name: string, change: (request: string) => string, message: string]>([
  ['changed', (jws) => jws.replace(/\.[^.]+\./, '.e30.'), 'not one that this policy service'],
  ['signed by another key', (jws) => jws.replace(/.{6}$/, 'AAAAAA'), 'not one that this policy'],
  ['missing', () => `${folder}/missing`, 'cannot be read'],
  ['in quotes', (jws) => fileOf(`"${jws}"`), 'without quotes'],
  [
    'a whole answer',
    (jws) => fileOf(JSON.stringify({ approval_request: jws })),
    'must contain only',
  ],
])('approves nothing if the request is %s', async (_name, change, message) => {
  const { approval_request = '' } = await check();
  const { code, err } = await approve(change(approval_request), '--yes');
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

it('says why the service refuses', async () => {
  const { approval_request = '' } = await check();
  const caller = fileOf(PLANNER);
  const asCaller = await approve(approval_request, '--yes', '--token-file', caller);
  expect([asCaller.code, asCaller.err]).toEqual([2, expect.stringContaining('ApproverRequired')]);
  const tooLong = await approve(approval_request, '--yes', '--valid-for', '86401');
  expect([tooLong.code, tooLong.err]).toEqual([2, expect.stringContaining('valid_for_s')]);
});

it.each([
  ['an empty token', '', 'is empty; write the token'],
  ['a token with its name', `alice:${ALICE}`, 'without its name and colon'],
])('says what is wrong with %s', async (_name, given, message) => {
  const { approval_request = '' } = await check();
  const { code, err } = await approve(approval_request, '--yes', '--token-file', fileOf(given));
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

it.each([
  ['a URL without a scheme', ['--policy-url', 'localhost:8081'], '--policy-url or the token'],
  ['a token file of two lines', ['--token-file', fileOf('a b\nc d\n')], '`token` must be visible'],
  ['a time with a unit', ['--valid-for', '1h'], '--valid-for must be a whole number of seconds'],
  ['another issuer', ['--issuer', 'acme'], 'if it sets POLICY_ISSUER, pass the same value'],
])('says what is wrong with %s', async (_name, options, message) => {
  const { approval_request = '' } = await check();
  const { code, err } = await approve(approval_request, '--yes', ...options);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

it('says how to give it a token', async () => {
  const { approval_request = '' } = await check();
  const { code, err } = await run('approve', approval_request, '--policy-url', policy.url);
  expect([code, err]).toEqual([2, expect.stringContaining('set GATEHOUSE_APPROVER_TOKEN')]);
});

const SCRIPT = '/usr/bin/script';
const MAIN = new URL('../src/main.ts', import.meta.url).pathname;

/** Runs the command in a terminal, and types an answer to its question. */
async function typed(request: string, answer: string) {
  const command = [process.execPath, MAIN, 'approve', request];
  const options = ['--policy-url', policy.url, '--token-file', token];
  const line = [...command, ...options].join(' ');
  const child = spawn(SCRIPT, ['--quiet', '--return', '--command', line, '/dev/null']);
  let output = '';
  child.stdout.on('data', (bytes) => {
    const wasAsked = output.includes('Approve?');
    output += bytes;
    if (!wasAsked && output.includes('Approve?')) child.stdin.write(answer);
  });
  const [code] = await once(child, 'exit');
  return { code, output };
}

it.skipIf(!existsSync(SCRIPT)).each([
  ['y\n', 0, 'Approved by alice until'],
  ['n\n', 1, 'Nothing was approved.'],
  ['\n', 1, 'Nothing was approved.'],
  ['yess\n', 1, 'Nothing was approved.'],
])('in a terminal, asks and takes %j as the answer', async (answer, expected, message) => {
  const { approval_request = '' } = await check();
  const { code, output } = await typed(approval_request, answer);
  expect(output).toContain('POST https://api.stripe.com/v1/refunds');
  expect(output).toContain(message);
  expect(code).toBe(expected);
});
