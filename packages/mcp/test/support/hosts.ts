import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from '@gatehouse/testing';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { MAIN } from './host.ts';

/** Work for a host: it connects, lists the tools, calls `http_request`, and prints the results. */
export interface Script {
  /** URL of the server. Without a URL, the host starts the server itself, over stdio. */
  readonly url?: string;
  readonly args: readonly string[];
  /** Answer of the user to every question. Without an answer, the host cannot ask. */
  readonly answer?: 'accept' | 'decline';
  readonly calls: readonly object[];
}

export interface Printed {
  readonly tools: readonly string[];
  readonly asked: number;
  readonly results: readonly CallToolResult[];
}

const SDK_1 = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const { url, command, args, answer, calls } = JSON.parse(process.argv[2]);
const client = new Client(
  { name: 'sdk-1', version: '1' },
  { capabilities: answer === undefined ? {} : { elicitation: {} } },
);
let asked = 0;
if (answer !== undefined)
  client.setRequestHandler(ElicitRequestSchema, () => {
    asked += 1;
    return { action: answer, content: {} };
  });
const transport =
  url === undefined
    ? new StdioClientTransport({ command, args, stderr: 'ignore' })
    : new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
for (const call of calls)
  results.push(await client.callTool({ name: 'http_request', arguments: call }));
console.log(JSON.stringify({ tools: tools.map(({ name }) => name), asked, results }));
await client.close();
`;

/** Frameworks that pass a tool's result on to a model. Prints what the model gets. */
const FRAMEWORKS = `
import { writeSync } from 'node:fs';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { MCPServerStdio } from '@openai/agents';

const { command, args, calls } = JSON.parse(process.argv[2]);
const server = { command, args };

const langchain = async () => {
  const servers = new MultiServerMCPClient({ gatehouse: { transport: 'stdio', ...server } });
  const tool = (await servers.getTools()).find(({ name }) => name === 'http_request');
  const results = [];
  for (const call of calls)
    results.push((await tool.invoke({ type: 'tool_call', id: '1', name, args: call })).content);
  await servers.close();
  return results;
};

const aiSdk = async () => {
  const client = await createMCPClient({ transport: new Experimental_StdioMCPTransport(server) });
  const { http_request: tool } = await client.tools();
  const results = [];
  for (const input of calls) {
    const output = await tool.execute(input, { toolCallId: '1', messages: [] });
    results.push(await tool.toModelOutput({ toolCallId: '1', input, output }));
  }
  await client.close();
  return results;
};

const openAi = async () => {
  const client = new MCPServerStdio(server);
  await client.connect();
  const results = [];
  for (const call of calls) results.push(await client.callTool('http_request', call));
  await client.close();
  return results;
};

const name = 'http_request';
for (const framework of [langchain, aiSdk, openAi])
  writeSync(1, JSON.stringify({ framework: framework.name, results: await framework() }) + '\\n');
process.exit();
`;

const PYTHON = `
import asyncio, json, sys
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

script = json.loads(sys.argv[1])
asked = 0

async def answer(context, params):
    global asked
    asked += 1
    action = script['answer']
    return ElicitResult(action=action, content={} if action == 'accept' else None)

async def main():
    server = script.get('url') or StdioServerParameters(
        command=script['command'], args=script['args'])
    callback = answer if script.get('answer') else None
    async with Client(server, elicitation_callback=callback, mode=sys.argv[2]) as client:
        tools = (await client.list_tools()).tools
        results = [await client.call_tool('http_request', call) for call in script['calls']]
        shown = [result.model_dump(by_alias=True, exclude_none=True) for result in results]
        print(json.dumps({'tools': [tool.name for tool in tools], 'asked': asked, 'results': shown}))

asyncio.run(main())
`;

/** Results that a framework gives its model, in the framework's own form. */
export interface Told {
  readonly framework: string;
  readonly results: readonly unknown[];
}

export interface Hosts extends AsyncDisposable {
  /** Runs the host with this name. */
  readonly run: (name: HostName, script: Script) => Promise<Printed>;
  /** Returns what the models of all frameworks get for each call. */
  readonly askModels: (script: Script) => Promise<readonly Told[]>;
}

export type HostName = keyof typeof PROGRAMS;

/** Programs of hosts, with their arguments. */
const PROGRAMS = {
  'MCP SDK 1': [process.execPath, 'sdk-1.mjs'],
  'Python mcp, MCP 2025': ['venv/bin/python', 'host.py', 'legacy'],
  'Python mcp, MCP 2026': ['venv/bin/python', 'host.py', '2026-07-28'],
} as const;

export const HOST_NAMES = Object.keys(PROGRAMS) as HostName[];

const PACKAGES = [
  '@modelcontextprotocol/sdk@1.32.2',
  ...['@ai-sdk/mcp@1.0.102', 'ai@7.0.173'],
  ...['@langchain/core@1.4.0', '@langchain/mcp-adapters@1.1.4'],
  ...['@openai/agents@0.20.0', 'zod@4.6.7'],
];

/** Installs the hosts from npm and PyPI. */
export async function installHosts(): Promise<Hosts> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-hosts-'));
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { cwd: folder, timeout: 120_000, stdio: 'pipe' });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(folder, 'sdk-1.mjs'), SDK_1);
  writeFileSync(join(folder, 'frameworks.mjs'), FRAMEWORKS);
  writeFileSync(join(folder, 'host.py'), PYTHON);
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', 'install', ...flags, ...PACKAGES);
  run('python3', '-m', 'venv', 'venv');
  run('venv/bin/python', '-m', 'pip', 'install', '--quiet', 'mcp==2.3.0');
  return {
    run: async (name, { args, ...script }) => {
      const [program, file, mode] = PROGRAMS[name];
      const server = { command: process.execPath, args: [MAIN, ...args] };
      const given = JSON.stringify({ ...server, ...script });
      const path = program.startsWith('/') ? program : join(folder, program);
      const more = mode === undefined ? [] : [mode];
      await using host = startProcess(path, { args: [join(folder, file), given, ...more] });
      await host.ended;
      const [printed] = host.lines();
      if (printed === undefined) throw new Error(`${name} printed no result: ${host.stderr}`);
      return printed as unknown as Printed;
    },
    askModels: async ({ args, calls }) => {
      const given = { command: process.execPath, args: [MAIN, ...args], calls };
      const program = join(folder, 'frameworks.mjs');
      await using host = startProcess(program, { args: [JSON.stringify(given)] });
      await host.ended;
      return host.lines() as unknown as Told[];
    },
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  };
}
