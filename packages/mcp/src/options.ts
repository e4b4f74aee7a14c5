import type { FixedSections } from '@gatehouse/contracts';
import type { ExecutionLimits } from '@gatehouse/http-executor';
import { defaultProfile, type Profile } from '@gatehouse/policy-engine';
import { Command, Option } from 'commander';
import {
  factsOf,
  headers,
  hostNames,
  LISTEN,
  list,
  listenAt,
  profileOf,
  wholeUpTo,
} from './option-values.ts';

/** The operator's settings as commander parses them; tokens come from the environment alone. */
export interface Options extends LocalExecutorOptions {
  /** Undefined: stdio. */
  readonly http?: { readonly host: string; readonly port: number };
  readonly httpNames: readonly string[];
  readonly facts: FixedSections;
  /** Profile of the policy in this process. */
  readonly profile: Profile;
  readonly policyUrl?: string;
  readonly executorUrl?: string;
  readonly tokens: Readonly<Record<keyof typeof TOKENS, string | undefined>>;
}

/** Settings of the executor in this process. */
export interface LocalExecutorOptions extends Omit<ExecutionLimits, 'maxRequestBytes'> {
  readonly allowedHosts: readonly string[];
  readonly allowedNetworks: readonly string[];
  readonly redactedHeaders: readonly string[];
  readonly shownHeaders: readonly string[];
}

const TOKENS = {
  policy: 'GATEHOUSE_POLICY_TOKEN',
  executor: 'GATEHOUSE_EXECUTOR_TOKEN',
  mcp: 'GATEHOUSE_MCP_TOKEN',
};
const TOKENS_HELP = `
Tokens are taken from the environment alone:
  ${TOKENS.policy}, ${TOKENS.executor}  sent to the services
  ${TOKENS.mcp}                               asked of clients over HTTP`;

/**
 * Reads the command line and the environment.
 * @throws CommanderError that says what to change; with exit code 0 after `--help`.
 */
export function readOptions(args: readonly string[], version: string): Options {
  const program = new Command('gatehouse-mcp')
    .description('An MCP server whose requests are checked by a policy before they are sent.')
    .version(version)
    .addHelpText('after', TOKENS_HELP)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  for (const option of OPTIONS) program.addOption(option);
  const flags = program.parse(args, { from: 'user' }).opts<Omit<Options, 'tokens'>>();
  const { env } = process;
  const mcp = env[TOKENS.mcp];
  if (flags.http !== undefined && mcp !== undefined && !/^[\x21-\x7e]+$/.test(mcp))
    program.error(`error: ${TOKENS.mcp} must be visible ASCII characters, without spaces`);
  if (flags.http !== undefined && mcp === undefined && !isLoopback(flags.http.host))
    program.error(`error: set ${TOKENS.mcp}: ${flags.http.host} may be reached by others`);
  return { ...flags, tokens: { mcp, policy: env[TOKENS.policy], executor: env[TOKENS.executor] } };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

const MAX_MS = 3_600_000;
const MIB = 1024 * 1024;

/** A setting of the executor service that also matters here, under the same name. */
const executorOption = (flags: string, description: string): Option => {
  const [name = ''] = flags.slice(2).split(' ');
  const env = `HTTP_EXECUTOR_${name.toUpperCase().replaceAll('-', '_')}`;
  return new Option(flags, description).env(env).conflicts('executorUrl');
};

const OPTIONS: readonly Option[] = [
  new Option('--http [host:port]', 'Streamable HTTP at /mcp (default: stdio)')
    .preset(LISTEN)
    .argParser(listenAt),
  new Option('--http-names <list>', 'names by which clients reach it, besides loopback')
    .default([], 'none')
    .argParser(hostNames),
  new Option('--facts <file>', 'facts of every check that the model cannot choose (YAML or JSON)')
    .default({}, 'none')
    .argParser(factsOf)
    .env('GATEHOUSE_FACTS_FILE'),
  new Option('--profile <file>', 'profile of the policy in this process')
    .default(defaultProfile, 'the default profile')
    .argParser(profileOf)
    .env('POLICY_PROFILE_FILE')
    .conflicts('policyUrl'),
  new Option('--policy-url <url>', 'a policy service (default: in this process)').env(
    'GATEHOUSE_POLICY_URL',
  ),
  new Option('--executor-url <url>', 'an executor service (default: in this process)').env(
    'GATEHOUSE_EXECUTOR_URL',
  ),
  executorOption('--allowed-hosts <list>', 'hosts that may be reached')
    .default([], 'none')
    .argParser(list),
  executorOption('--allowed-networks <list>', 'CIDRs that listed names may reach besides')
    .default([], 'none')
    .argParser(list),
  // Hosts commonly wait 60 s for a tool, and read its answer into the context of a model.
  executorOption('--attempt-timeout-ms <ms>', 'one attempt')
    .default(15_000)
    .argParser(wholeUpTo(MAX_MS)),
  executorOption('--total-timeout-ms <ms>', 'one call')
    .default(50_000)
    .argParser(wholeUpTo(MAX_MS)),
  executorOption('--max-response-bytes <n>', 'one answer')
    .default(MIB)
    .argParser(wholeUpTo(2 * MIB)),
  executorOption('--redacted-headers <names>', 'names that show as REDACTED besides')
    .default([], 'none')
    .argParser(headers),
  executorOption('--shown-headers <names>', 'names that show as they are')
    .default([], 'none')
    .argParser(headers),
];

/** Settings of ours and of the services that do nothing here, or are misspelt. */
export function unusedSettings(env: NodeJS.ProcessEnv): string[] {
  const known = [...OPTIONS.map(({ envVar }) => envVar), ...Object.values(TOKENS)];
  const ours = /^(?:GATEHOUSE|POLICY|HTTP_EXECUTOR)_/;
  return Object.keys(env).filter((name) => ours.test(name) && !known.includes(name));
}
