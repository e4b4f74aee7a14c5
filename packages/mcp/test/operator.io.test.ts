import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess, startUpstream } from '@gatehouse/testing';
import { afterAll, expect, it, vi } from 'vitest';
import { readOptions } from '../src/options.ts';
import { HARMLESS, httpHost, MAIN, startMcp, textOf } from './support/host.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const FACTS = `spend: { currency: EUR, user_limit_minor_units: 50 }
legal: { flags: [] }
connector: null
`;
const PROFILE = `name: strict
pii: { missing: deny }
`;

it('facts that the operator fixes disappear from the tools and apply', async () => {
  await using shop = await startUpstream();
  const args = ['--facts', file('facts.yaml', FACTS), '--allowed-hosts', '127.0.0.1'];
  await using mcp = await startMcp({ args });
  await using host = await httpHost(mcp);
  const { tools } = await host.client.listTools();
  for (const { inputSchema } of tools) {
    const { properties = {}, required = [] } = inputSchema;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['spend', 'pii']));
    expect(properties).not.toHaveProperty('legal');
    expect(properties).not.toHaveProperty('connector');
    expect(Object.keys(Object(properties.spend).properties)).toEqual(['amount_minor_units']);
    expect(required).toContain('spend');
  }
  const facts = (amount_minor_units: number) => ({
    spend: { amount_minor_units },
    pii: { categories: [] },
  });
  const get = { method: 'GET', url: `${shop.origin}/` };
  const states: unknown[] = [];
  for (const sent of [facts(50), facts(51), { ...facts(50), legal: { flags: [] } }, HARMLESS, {}])
    states.push((await host.request({ ...get, ...sent })).answer.state);
  expect(states).toEqual(['executed', 'needs_approval', 'refused', 'refused', 'refused']);
  const refused = await host.request({ ...get, ...HARMLESS });
  expect(textOf(refused)).toMatch(
    /\/spend\/currency is unknown or may be set only by the operator/,
  );
  expect(shop.requests).toHaveLength(1);
});

const NO_HOST =
  '"warning":"no host is allowed, so every http_request is refused; set HTTP_EXECUTOR_ALLOWED_HOSTS or HTTP_EXECUTOR_DESTINATIONS_FILE';

it('without settings, no host can be reached and the default profile applies', async () => {
  const unused = ['HTTP_EXECUTOR_BIND_ADDR', 'GATEHOUSE_POLICY_TOKEN', 'POLICY_API_TOKENS'];
  const env = Object.fromEntries(unused.map((name) => [name, 'a.example']));
  const GATEHOUSE_APPROVER_TOKEN_FILE = file('approver', 'token');
  const GATEHOUSE_MCP_TOKEN = 'token';
  await using mcp = await startMcp({
    env: { ...env, GATEHOUSE_APPROVER_TOKEN_FILE, GATEHOUSE_MCP_TOKEN },
  });
  const names = [...unused, 'GATEHOUSE_APPROVER_TOKEN_FILE'].join(', ');
  expect(mcp.stderr).toContain(`${NO_HOST}; these settings have no effect: ${names}"`);
  await using host = await httpHost(mcp, { token: 'token' });
  const result = await host.request({ method: 'GET', url: 'http://127.0.0.1:8080/', ...HARMLESS });
  expect(textOf(result)).toMatch(/add it to `--allowed-hosts` or HTTP_EXECUTOR_ALLOWED_HOSTS\./);
});

it('applies the profile of a file, and ends on a signal', async () => {
  const env = { POLICY_PROFILE_FILE: file('profile.yaml', PROFILE) };
  await using mcp = await startMcp({ env });
  const host = await httpHost(mcp);
  const { answer } = await host.call('check_policy', HARMLESS);
  expect(answer).toMatchObject({ explanation: { profile: 'strict' } });
  await host[Symbol.asyncDispose]();
  expect(await mcp.stop()).toEqual({ code: 0, signal: null });
});

const NOT_FOUND = /is invalid\. none\.yaml: not found in \/.*\(ENOENT\); use an absolute path/;
const API = 'https://api.example.com/v1';

/** Settings in variables that stop the server, with messages that name the variable. */
const FROM_ENVIRONMENT = (
  [
    ['HTTP_EXECUTOR_ALLOWED_HOSTS', API, /is invalid\. .*`https:.*v1` is malformed/],
    ['HTTP_EXECUTOR_ALLOWED_NETWORKS', '10.0.0.0', /is invalid\. .*10\.0\.0\.0/],
    ['HTTP_EXECUTOR_MAX_RESPONSE_BYTES', '10 MB', /is invalid\. Use a whole number from 1 to/],
    ['HTTP_EXECUTOR_DESTINATIONS_FILE', 'none.yaml', NOT_FOUND],
    ['POLICY_PROFILE_FILE', 'none.yaml', NOT_FOUND],
    ['POLICY_LOG_AMOUNTS', 'yes', /is invalid\. Use true or false\./],
    ['GATEHOUSE_FACTS_FILE', 'none.yaml', NOT_FOUND],
    ['GATEHOUSE_APPROVER_TOKEN_FILE', 'none.yaml', NOT_FOUND],
    ['GATEHOUSE_APPROVER_TOKEN_FILE', file('words', 'a word\n'), /words: must contain one token/],
    ['GATEHOUSE_APPROVER_TOKEN_FILE', file('empty', '\n'), /empty: must contain one token/],
    ['HTTP_EXECUTOR_ALLOWED_HOST', 'a', /rename it to HTTP_EXECUTOR_ALLOWED_HOSTS if you meant/],
    ['HTTP_EXECUTOR_ATTEMPT_TIMEOUT', '1', /rename it to HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS if/],
    ['POLICY_PROFILE', 'a', /rename it to POLICY_PROFILE_FILE if you meant/],
    ['GATEHOUSE_FACT_FILE', 'a', /rename it to GATEHOUSE_FACTS_FILE if you meant/],
  ] as const
).map(([name, value, says]) => {
  const message = new RegExp(`\\b${name}\\b.*${says.source}`, 's');
  return [[], message, { [name]: value }] as const;
});

it('an unsafe or unclear start fails and says what to change', () => {
  type Case = readonly [args: readonly string[], says: RegExp, env?: Record<string, string>];
  const cases: readonly Case[] = [
    [['--http', '0.0.0.0:0'], /set GATEHOUSE_MCP_TOKEN, .* machines can reach 0\.0\.0\.0/],
    [['--http', '[::]:0'], /set GATEHOUSE_MCP_TOKEN, because other machines can reach ::/],
    [['--http'], /GATEHOUSE_MCP_TOKEN must be visible ASCII/, { GATEHOUSE_MCP_TOKEN: 'a word' }],
    [['--http', 'localhost'], /Use host:port, such as/],
    [['--profile', join(folder, 'none.yaml')], /none\.yaml.*cannot be read/],
    [['--facts', join(folder, 'none.yaml')], /none\.yaml: cannot be read \(ENOENT\)/],
    [['--facts', file('wrong.yaml', 'spend:\n  limit: 1\n')], /wrong\.yaml:2:3: \/spend\/limit/],
    [['--attempt-timeout-ms', '0'], /whole number from 1/],
    [['--shown-headers', 'x y'], /`x y` is not a header name/],
    [['--http-names', 'https://mcp.example.com'], /`https:\/\/mcp.example.com` is not a host name/],
    [['--policy-url', 'http://a', '--profile', file('p.yaml', PROFILE)], /cannot be used with/],
    [['--executor-url', 'http://a', '--allowed-hosts', 'a'], /cannot be used with/],
    [['--allowed-host', 'a'], /Did you mean --allowed-hosts/],
    [['a.example'], /too many arguments/],
    [
      ['--executor-url', 'http://a'],
      /HTTP_EXECUTOR_ALLOWED_HOSTS.*cannot be used with/,
      { HTTP_EXECUTOR_ALLOWED_HOSTS: 'a.example' },
    ],
    [
      ['--approver-token-file', file('token', 'token\n')],
      /set GATEHOUSE_APPROVER_TOKEN or GATEHOUSE_APPROVER_TOKEN_FILE, but not both/,
      { GATEHOUSE_APPROVER_TOKEN: 'other' },
    ],
    ...FROM_ENVIRONMENT,
  ];
  for (const [args, says, env = {}] of cases) {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(() => readOptions(args, '0'), args.join(' ')).toThrow(says);
    expect(() => readOptions(args, '0'), args.join(' ')).not.toThrow('a word');
    vi.unstubAllEnvs();
  }
});

it('ends when its standard input ends, having written only its log', async () => {
  const tokens = ['EXECUTOR', 'POLICY', 'MCP', 'APPROVER'].map((name) => `GATEHOUSE_${name}_TOKEN`);
  const env = Object.fromEntries(tokens.map((name) => [name, 'token']));
  await using child = startProcess(MAIN, { args: ['--http-names', 'a.example'], env });
  expect(await child.ended).toEqual({ code: 0, signal: null });
  expect(child.stdout).toBe('');
  expect(child.stderr).toContain(`no effect: ${tokens.join(', ')}, --http-names"`);
  // The server of approval pages does not keep the process alive.
  const policy = { GATEHOUSE_POLICY_URL: 'http://a.example', GATEHOUSE_APPROVER_TOKEN: 'token' };
  await using approving = startProcess(MAIN, { env: policy });
  expect(await approving.ended).toEqual({ code: 0, signal: null });
});

it('a failed start writes its reason only to stderr', async () => {
  const cases = [
    ['--allowed-hosts https://a.example/', {}, 'a.example'],
    ['--policy-url ftp://policy', {}, '--policy-url, .*must be an http'],
    ['--executor-url policy', {}, '--executor-url, .*must be an http'],
    [
      '--policy-url http://a.example',
      { GATEHOUSE_POLICY_TOKEN: 'a word' },
      '_POLICY_TOKEN: `token` must be visible ASCII',
    ],
    [
      '--policy-url http://a.example',
      { GATEHOUSE_APPROVER_TOKEN: 'a word' },
      '_APPROVER_TOKEN: `token` must be visible ASCII',
    ],
    ['--profile none.yaml', {}, "option '--profile <file>' .* none.yaml: not found in"],
  ] as const;
  const starts = cases.map(async ([args, env, says]) => {
    await using child = startProcess(MAIN, { args: args.split(' '), env });
    expect(await child.ended).toMatchObject({ code: 1 });
    expect(child.stderr).toMatch(new RegExp(`^gatehouse-mcp cannot start: .*${says}`));
    expect(child.output).not.toMatch(/a word|cannot start: error/);
    expect(child.stdout).toBe('');
  });
  await Promise.all(starts);
});

const ACTIONS = `name: actions
actions:
  unlisted: deny
  rules:
    - { host: 127.0.0.1, methods: [GET], outcome: allow, facts: { spend: none, pii: { categories: [] }, legal: { flags: [] } } }
    - host: 127.0.0.1
      methods: [POST]
      outcome: allow
      facts: { spend: { amount_minor_units: /body/cents, currency: EUR }, pii: { categories: [] }, legal: { flags: [] } }
`;

it('a profile in this process judges the request itself, and states its facts', async () => {
  await using shop = await startUpstream();
  const args = ['--profile', file('actions.yaml', ACTIONS), '--allowed-hosts', '127.0.0.1'];
  await using mcp = await startMcp({ args });
  await using host = await httpHost(mcp);
  const url = `${shop.origin}/`;
  const read = { method: 'GET', url };
  const pay = (body: object) => ({ method: 'POST', url, body });
  for (const [action, state] of [
    [read, 'executed'],
    [{ ...read, method: 'DELETE' }, 'denied'],
    [pay({ cents: 10_000 }), 'executed'],
    [pay({ cents: 10_001 }), 'needs_approval'],
    [pay({}), 'needs_approval'],
  ] as const)
    expect([action, (await host.request(action)).answer]).toMatchObject([action, { state }]);
  // The model cannot state what the profile states, so no one asks it to.
  expect(textOf(await host.request(pay({})))).not.toMatch(
    /State the missing|facts that are missing/,
  );
  expect(shop.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);

  const decision = async (args: object) => (await host.call('check_policy', args)).answer.decision;
  expect(await decision({ action: read })).toBe('allow');
  expect(await decision({ action: { ...read, method: 'DELETE' } })).toBe('deny');
  expect(await decision(HARMLESS)).toBe('require_approval');
});
