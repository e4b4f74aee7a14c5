import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shared, startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COSTS, ERAS, HARMLESS, startMcp, stdioHost } from './support/host.ts';

const WORKSPACE = new URL('../../..', import.meta.url).pathname;
const SETUP_MS = 280_000;

/** The Inspector, and the line of the SDK before ours, which many hosts have. */
const OTHERS = ['@modelcontextprotocol/inspector@2.12.0', '@modelcontextprotocol/sdk@1.32.2'];

const project = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-installed-'));
const bin = (name: string) => join(project, 'node_modules/.bin', name);

/** What a program prints; it knows this project alone. */
async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { PATH = '' } = process.env;
  const env = { ...process.env, PATH, HOME: project };
  const { stdout } = await promisify(execFile)(program, args, { cwd, env, timeout: SETUP_MS });
  return stdout;
}

beforeAll(async () => {
  // One by one: each builds what it depends on first.
  const mine = ['--workspace-concurrency=1', '--filter-prod', '@gatehouse/mcp...'];
  await promisify(execFile)('pnpm', [...mine, 'pack', '--pack-destination', project], {
    cwd: WORKSPACE,
  });
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const tarballs = globSync('*.tgz', { cwd: project }).map((name) => join(project, name));
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', ['install', ...quiet, ...tarballs, ...OTHERS], {
    cwd: project,
  });
}, SETUP_MS);

afterAll(() => rmSync(project, { recursive: true }));

const shop = shared(() => startUpstream({ body: { id: 7 } }));
const allowed = () => ['--allowed-hosts', `127.0.0.1:${shop().port}`];
const get = () => ({ method: 'GET', url: `${shop().origin}/products/7` });

it('its command, from the tarball, serves hosts of both eras', async () => {
  const version = await run(project, 'npx', '--no', '@gatehouse/mcp', '--version');
  expect(version).toMatch(/^\d+\.\d+\.\d+$/m);
  for (const era of ERAS) {
    const launch = { main: bin('gatehouse-mcp'), args: allowed() };
    await using host = await stdioHost(launch, { era });
    const { structuredContent } = await host.request({ ...get(), ...HARMLESS });
    expect(structuredContent).toMatchObject({ state: 'executed', outcome: { body: { id: 7 } } });
  }
});

it('the command line of the MCP Inspector lists, checks, sends and is denied, over both transports', async () => {
  await using mcp = await startMcp({ args: allowed() });
  const stdio = [process.execPath, bin('gatehouse-mcp'), ...allowed()];
  for (const target of [stdio, [mcp.url]]) {
    const inspect = async (method: string, ...args: string[]) => {
      const cli = ['--cli', ...target, '--method', method, ...args];
      const printed = run(project, process.execPath, bin('mcp-inspector'), ...cli);
      // It ends with 5 where a tool answers with an error.
      return JSON.parse(await printed.catch(({ code, stdout }) => (code === 5 ? stdout : '')));
    };
    const call = (name: string, args: object) => {
      const given = Object.entries(args).flatMap(([member, value]) => [
        '--tool-arg',
        `${member}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ]);
      return inspect('tools/call', '--tool-name', name, ...given);
    };
    const { tools } = await inspect('tools/list', '--strict');
    expect(tools).toMatchObject([{ name: 'check_policy' }, { name: 'http_request' }]);
    for (const [name, args, isError, structuredContent] of [
      ['check_policy', COSTS(90_000), false, { decision: 'deny' }],
      ['http_request', { ...get(), ...HARMLESS }, false, { state: 'executed' }],
      ['http_request', { ...get(), ...COSTS(20_000) }, false, { state: 'needs_approval' }],
      ['http_request', { ...get(), ...COSTS(90_000) }, true, { state: 'denied' }],
    ] as const)
      expect(await call(name, args)).toMatchObject({ isError, structuredContent });
  }
});

const FORMER_CLIENT = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [action, request, url, ...command] = process.argv.slice(2);
const transports = [
  new StdioClientTransport({ command: process.execPath, args: command }),
  new StreamableHTTPClientTransport(new URL(url)),
];
for (const transport of transports) {
  const client = new Client({ name: 'former', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action, content: {} }));
  await client.connect(transport);
  await client.listTools();
  const call = { name: 'http_request', arguments: JSON.parse(request) };
  console.log((await client.callTool(call)).structuredContent.state);
  await client.close();
}
`;

it('clients of the SDK before are asked, and served', async () => {
  const client = join(project, 'former-client.mjs');
  writeFileSync(client, FORMER_CLIENT);
  await using mcp = await startMcp({ args: allowed() });
  const request = JSON.stringify({ ...get(), pii: { categories: ['health'] } });
  const stdio = [bin('gatehouse-mcp'), ...allowed()];
  const states = async (action: string) =>
    run(project, process.execPath, client, action, request, mcp.url, ...stdio);
  expect(await states('accept')).toBe('executed\nexecuted\n');
  expect(await states('decline')).toBe('declined\ndeclined\n');
});
