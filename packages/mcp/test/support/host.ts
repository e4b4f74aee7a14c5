import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE, startProcess, type TestProcess } from '@gatehouse/testing';
import {
  type CallToolResult,
  Client,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Facts that the default profile allows. */
export const HARMLESS = {
  spend: { amount_minor_units: 100, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};
export const COSTS = (amount_minor_units: number) => ({
  ...HARMLESS,
  spend: { amount_minor_units, currency: 'EUR' },
});

/** First message of a session, for tests that send HTTP requests without a client. */
export const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    ...{ protocolVersion: '2025-06-18', capabilities: {} },
    clientInfo: { name: 'raw', version: '1' },
  },
});

/**
 * Versions of MCP: `legacy` (2025) has `initialize` and sessions, and `modern` (2026) has neither.
 */
export const ERAS = ['legacy', 'modern'] as const;
type Era = (typeof ERAS)[number];

export interface Launch {
  /** Path of the program to start. Default: the source of the command line program. */
  readonly main?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface HostOptions {
  readonly era?: Era;
  /** Name of the host. Default: `test`. */
  readonly name?: string;
  /** Returns the user's answer to a question. If absent, the host cannot ask the user. */
  readonly user?: (message: string) => ElicitResult | Promise<ElicitResult>;
  /**
   * Opens a page for the user, and says whether the user has agreed to it. If absent, the host
   * opens no pages.
   */
  readonly browser?: (url: string, id?: string) => ElicitResult | Promise<ElicitResult>;
}

export interface Result extends CallToolResult {
  /** Structured content of `check_policy`, or the JSON text of `http_request`. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** Agent host that uses the official MCP client. */
export interface Host extends AsyncDisposable {
  readonly client: Client;
  call(name: string, args: object): Promise<Result>;
  request(args: object): Promise<Result>;
}

function clientFor({ era = 'legacy', name = 'test', user, browser }: HostOptions): Client {
  const elicitation = { ...(user && { form: {} }), ...(browser && { url: {} }) };
  const canAsk = user !== undefined || browser !== undefined;
  const capabilities = canAsk ? { elicitation } : {};
  const mode = era === 'legacy' ? era : ({ pin: '2026-07-28' } as const);
  const client = new Client({ name, version: '1' }, { capabilities, versionNegotiation: { mode } });
  const cannot = () => {
    throw new Error('not declared');
  };
  if (canAsk)
    client.setRequestHandler('elicitation/create', ({ params }) =>
      params.mode === 'url'
        ? (browser ?? cannot)(params.url, params.elicitationId)
        : (user ?? cannot)(params.message),
    );
  return client;
}

async function hostOf(
  client: Client,
  transport: Parameters<Client['connect']>[0],
  end: () => Promise<void>,
): Promise<Host> {
  await client.connect(transport);
  const call: Host['call'] = async (name, args) => {
    const result = await client.callTool({ name, arguments: { ...args } });
    return { ...result, answer: answerOf(result) };
  };
  const request = (args: object) => call('http_request', args);
  return { client, call, request, [Symbol.asyncDispose]: end };
}

/** Starts a server and connects to it over stdio. */
export async function stdioHost(launch: Launch = {}, options: HostOptions = {}): Promise<Host> {
  const { PATH = '' } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launch.main ?? MAIN, ...(launch.args ?? [])],
    env: { PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...launch.env },
    stderr: 'ignore',
  });
  const client = clientFor(options);
  return hostOf(client, transport, () => client.close());
}

export interface McpProcess extends TestProcess {
  readonly url: string;
  readonly port: number;
}

/** Starts an HTTP server on a free port. */
export async function startMcp({ args = [], env = {} }: Launch = {}): Promise<McpProcess> {
  const child = startProcess(MAIN, { args: ['--http', '127.0.0.1:0', ...args], env });
  const [, url = '', port] = await child.printed(/serves (http:\/\/[^"]+:(\d+)\/mcp)/, 'stderr');
  return Object.assign(child, { url, port: Number(port) });
}

export async function httpHost(
  { url }: Pick<McpProcess, 'url'>,
  options: HostOptions & { readonly token?: string } = {},
): Promise<Host> {
  const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const client = clientFor(options);
  return hostOf(client, transport, async () => {
    await transport.terminateSession();
    await client.close();
  });
}

function answerOf({ structuredContent, content }: CallToolResult): Result['answer'] {
  const last = content.at(-1);
  if (structuredContent !== undefined) return Object(structuredContent);
  return content.length > 1 && last?.type === 'text' ? JSON.parse(last.text) : {};
}

/** Returns the text of a tool result, which is the part that a model reads. */
export function textOf({ content }: CallToolResult): string {
  return content.map((block) => ('text' in block ? block.text : '')).join('\n');
}
