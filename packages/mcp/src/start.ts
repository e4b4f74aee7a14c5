import { createRequire } from 'node:module';
import { createExecutorClient, createPolicyClient } from '@gatehouse/client';
import { headerRules } from '@gatehouse/http-executor';
import type { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { CommanderError } from 'commander';
import { serveApprovalPages } from './approval-pages.ts';
import { destinationWarnings, localExecutor } from './backends/executor.ts';
import { localPolicy } from './backends/policy.ts';
import { remote } from './backends/remote.ts';
import { isLoopback } from './option-values.ts';
import { type Options, readOptions, TOKENS, unusedSettings } from './options.ts';
import { type Log, serverFactory } from './server.ts';
import { checkPolicyTool } from './tools/check-policy.ts';
import { httpRequestTool } from './tools/http-request.ts';
import { type Listening, listenHttp } from './transports/http.ts';

// Use `require`, because TypeScript cannot import a file from outside `rootDir`, which is `src`.
const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/**
 * Maximum length of an input line; a longer line closes the connection. A call with more than
 * 256 KiB of arguments should get an error instead, so this limit is far above 256 KiB.
 */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NO_HOST =
  'no host is allowed, so every http_request is refused; set HTTP_EXECUTOR_ALLOWED_HOSTS or HTTP_EXECUTOR_DESTINATIONS_FILE';

/** Logs to stderr, because MCP uses stdout for its messages. */
const log: Log = (fields) => {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...fields })}\n`);
};
// Without this handler, the server would crash if the host closed stderr.
process.stderr.on('error', () => {});

try {
  await run(readOptions(process.argv.slice(2), version));
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) process.exit();
  const why = (error as Error).message.replace(/^error: /, '');
  process.stderr.write(`gatehouse-mcp cannot start: ${why}\n`);
  process.exit(1);
}

async function run(options: Options): Promise<void> {
  let listening: Listening | undefined;
  const { policyUrl, executorUrl, http, httpNames: names, facts, tokens } = options;
  const connected = connect(options, () => listening?.port);
  const { policy, executor, approver } = connected;
  const { isCredential } = headerRules(options);
  const { logAmounts, maxBytes } = options;
  const maxResponseBytes = executorUrl === undefined ? options.maxResponseBytes : undefined;
  const limits = { maxResponseBytes, maxBytes };
  // Users of other machines cannot open a page on loopback.
  const isLocal = http === undefined || isLoopback(http.host);
  const pages = isLocal && approver !== undefined ? await serveApprovalPages() : undefined;
  const backends = { ...connected, pages, isCredential, logAmounts };
  const takesApproval = policyUrl !== undefined;
  const tools = [
    checkPolicyTool(policy, facts, logAmounts),
    httpRequestTool(backends, facts, { ...limits, takesApproval }),
  ];
  const factory = serverFactory(tools, version, log);
  const onError = (error: Error) => log({ error: error.message });
  if (http !== undefined)
    listening = await listenHttp(factory, { ...http, names, token: tokens.mcp }, onError);
  const served = listening ?? stdio(factory, onError);
  announce(options, listening);

  let ended = false;
  const end = async () => {
    if (ended) return;
    ended = true;
    await served.close();
    pages?.close();
    await Promise.all([policy.close(), executor.close(), approver?.close()]);
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  if (listening === undefined) process.stdin.once('close', end).once('end', end);
}

/** Creates the policy and the executor in this process, unless the options name services. */
function connect(options: Options, ownPort: () => number | undefined) {
  const { policyUrl, executorUrl, tokens, totalTimeoutMs: timeoutMs } = options;
  const policyAt = (url: string, who: 'policy' | 'approver') =>
    remote('policy', TOKENS[who], createPolicyClient, { url, token: tokens[who] });
  const executorAt = (url: string) =>
    remote('executor', TOKENS.executor, createExecutorClient, {
      ...{ url, token: tokens.executor, timeoutMs },
    });
  const isSigning = policyUrl !== undefined && tokens.approver !== undefined;
  return {
    policy: policyUrl === undefined ? localPolicy(options.profile) : policyAt(policyUrl, 'policy'),
    executor: executorUrl === undefined ? localExecutor(options, ownPort) : executorAt(executorUrl),
    approver: isSigning ? policyAt(policyUrl, 'approver') : undefined,
  };
}

function stdio(factory: () => Server, onerror: (error: Error) => void) {
  const limit = { maxBufferSize: MAX_LINE_BYTES };
  const transport = new StdioServerTransport(process.stdin, process.stdout, limit);
  return serveStdio(factory, { transport, onerror });
}

function announce(options: Options, at: Listening | undefined): void {
  const { policyUrl, executorUrl, profile, allowedHosts, destinationsFile: file } = options;
  const unused = unusedSettings(process.env, options);
  const isLocal = (executorUrl ?? file) === undefined;
  const startWarnings = [
    isLocal && allowedHosts.length === 0 ? NO_HOST : '',
    unused.length > 0 ? `these settings have no effect: ${unused.join(', ')}` : '',
  ].filter(Boolean);
  log({
    message: `gatehouse-mcp ${version} serves ${at?.url ?? 'stdio'}`,
    policy: policyUrl ?? `runs in this process with the profile ${profile.name}`,
    executor: executorUrl ?? 'runs in this process',
    ...(file !== undefined && { destinations_file: file.path }),
    ...(isLocal && { allowed_hosts: allowedHosts }),
    ...(startWarnings.length > 0 && { warning: startWarnings.join('; ') }),
  });
  const warnings = file === undefined ? [] : destinationWarnings(file);
  for (const warning of warnings) log({ warning });
}
