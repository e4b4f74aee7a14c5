#!/usr/bin/env node
import { createRequire } from 'node:module';
import { createExecutorClient, createPolicyClient } from '@gatehouse/client';
import type { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { CommanderError } from 'commander';
import { type Executor, localExecutor } from './backends/executor.ts';
import { localPolicy } from './backends/policy.ts';
import { type Options, type Remote, readOptions, unusedSettings } from './options.ts';
import { type Log, serverFactory } from './server.ts';
import { checkPolicyTool } from './tools/check-policy.ts';
import { httpRequestTool } from './tools/http-request.ts';
import { type Listening, listenHttp } from './transports/http.ts';
import { boundedLines } from './transports/lines.ts';

// Not an `import`: the manifest is outside of what TypeScript builds.
const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** Standard output belongs to the protocol. */
const log: Log = (fields) => {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...fields })}\n`);
};
// A host that reads no log is served all the same.
process.stderr.on('error', () => {});

try {
  await run(readOptions(process.argv.slice(2), version));
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) process.exit();
  process.stderr.write(`gatehouse-mcp cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}

async function run({ http, facts, ...options }: Options): Promise<void> {
  let listening: Listening | undefined;
  const policy =
    'url' in options.policy
      ? remote('policy', createPolicyClient, options.policy)
      : localPolicy(options.policy.profile);
  const executor = executorOf(options.executor, () => listening?.port);
  const tools = [checkPolicyTool(policy, facts), httpRequestTool(policy, executor, facts)];
  const factory = serverFactory(tools, version, log);
  const onError = (error: Error) => log({ error: error.message });
  if (http !== undefined) listening = await listenHttp(factory, http, onError);
  const served = listening ?? stdio(factory, onError);
  announce(options, listening);

  let ended = false;
  const end = async () => {
    if (ended) return;
    ended = true;
    await served.close();
    await Promise.all([policy.close(), executor.close()]);
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  if (listening === undefined) process.stdin.once('close', end).once('end', end);
}

function stdio(factory: () => Server, onerror: (error: Error) => void) {
  const transport = new StdioServerTransport(process.stdin.pipe(boundedLines(onerror)));
  return serveStdio(factory, { transport, onerror });
}

/** @throws Error where the sandbox is malformed. */
function executorOf(options: Options['executor'], ownPort: () => number | undefined): Executor {
  if ('url' in options) return remote('executor', createExecutorClient, options);
  return localExecutor(options, ownPort);
}

/** @throws Error that names the settings at fault. */
function remote<T>(name: string, create: (options: Remote) => T, options: Remote): T {
  try {
    return create(options);
  } catch (error) {
    const settings = `--${name}-url, GATEHOUSE_${name.toUpperCase()}_TOKEN`;
    throw new Error(`${settings}: ${(error as Error).message}`);
  }
}

function announce({ policy, executor }: Pick<Options, 'policy' | 'executor'>, at?: Listening) {
  const unused = unusedSettings(process.env);
  log({
    message: `gatehouse-mcp ${version} serves ${at?.url ?? 'stdio'}`,
    policy: 'url' in policy ? policy.url : `in this process, profile ${policy.profile.name}`,
    executor: 'url' in executor ? executor.url : 'in this process',
    ...('url' in executor ? {} : { allowed_hosts: executor.allowedHosts }),
    ...(unused.length > 0 && { warning: `these settings do nothing here: ${unused.join(', ')}` }),
  });
}
