import { unknownSettings } from '@gatehouse/config-file';
import { type FixedSections, MODEL_MAX_BYTES } from '@gatehouse/contracts';
import type { ExecutionLimits, LoadedDestinations } from '@gatehouse/http-executor';
import { defaultProfile, type Profile } from '@gatehouse/policy';
import { Command, Option } from 'commander';
import * as values from './option-values.ts';
import { MAX_ANSWER_BYTES } from './tools/answer-limit.ts';

/** Settings that the operator chooses. `tokens` can be set only with environment variables. */
export interface Options extends LocalExecutorOptions {
  /** Address for HTTP. If undefined, the server uses stdio. */
  readonly http?: { readonly host: string; readonly port: number };
  readonly httpNames: readonly string[];
  readonly facts: FixedSections;
  readonly profile: Profile;
  readonly policyUrl?: string;
  /** Token from the file, which the option's parser has read. */
  readonly approverTokenFile?: string;
  readonly executorUrl?: string;
  readonly logAmounts: boolean;
  /** Size limit for the part of a body that the model gets, unless it sets `max_bytes`. */
  readonly maxBytes: number;
  readonly tokens: Readonly<Record<keyof typeof TOKENS, string | undefined>>;
}

export interface LocalExecutorOptions
  extends Pick<ExecutionLimits, 'attemptTimeoutMs' | 'totalTimeoutMs' | 'maxResponseBytes'> {
  readonly allowedHosts: readonly string[];
  readonly allowedNetworks: readonly string[];
  /** Replaces `allowedHosts`. */
  readonly destinationsFile?: LoadedDestinations;
  readonly redactedHeaders: readonly string[];
  readonly shownHeaders: readonly string[];
}

export const TOKENS = {
  policy: 'GATEHOUSE_POLICY_TOKEN',
  executor: 'GATEHOUSE_EXECUTOR_TOKEN',
  approver: 'GATEHOUSE_APPROVER_TOKEN',
  mcp: 'GATEHOUSE_MCP_TOKEN',
};
const APPROVER_TOKEN_FILE = 'GATEHOUSE_APPROVER_TOKEN_FILE';
const TOKENS_HELP = `
Tokens can be set only as environment variables:
  ${TOKENS.policy}    token for the policy service
  ${TOKENS.executor}  token for the executor service
  ${TOKENS.approver}  instead of --approver-token-file
  ${TOKENS.mcp}       token that HTTP clients must send`;

/**
 * Reads the command line and the environment.
 * @throws {CommanderError} that names the setting and says what to change. `--help` also throws,
 * but with exit code 0.
 */
export function readOptions(args: readonly string[], version: string): Options {
  const program = new Command('gatehouse-mcp')
    .description('An MCP server that sends HTTP requests only if a policy allows them.')
    .version(version)
    .addHelpText('after', TOKENS_HELP)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  for (const option of OPTIONS) program.addOption(option);
  const flags = program.parse(args, { from: 'user' }).opts<Omit<Options, 'tokens'>>();
  const { env } = process;
  const [misspelled] = misspelledSettings(env);
  if (misspelled !== undefined) program.error(`error: ${misspelled}`);
  const mcp = env[TOKENS.mcp];
  if (flags.http !== undefined && mcp !== undefined && !/^[\x21-\x7e]+$/.test(mcp))
    program.error(`error: ${TOKENS.mcp} must be visible ASCII characters, without spaces`);
  if (flags.http !== undefined && mcp === undefined && !values.isLoopback(flags.http.host))
    program.error(`error: set ${TOKENS.mcp}, because other machines can reach ${flags.http.host}`);
  const { [TOKENS.policy]: policy, [TOKENS.executor]: executor } = env;
  const { [TOKENS.approver]: approver = flags.approverTokenFile } = env;
  if (env[TOKENS.approver] !== undefined && flags.approverTokenFile !== undefined)
    program.error(`error: set ${TOKENS.approver} or ${APPROVER_TOKEN_FILE}, but not both`);
  return { ...flags, tokens: { mcp, policy, executor, approver } };
}

/** Returns an option that an `HTTP_EXECUTOR_*` variable can also set. */
function executorOption<T>(
  flags: string,
  description: string,
  value: T,
  parse: (text: string) => T,
): Option {
  const [name = ''] = flags.slice(2).split(' ');
  const env = `HTTP_EXECUTOR_${name.toUpperCase().replaceAll('-', '_')}`;
  const option = new Option(flags, description).env(env).argParser(parse);
  return option.default(value, Array.isArray(value) ? 'none' : undefined);
}

/** Returns an option that applies only to an executor in this process. */
const localOption: typeof executorOption = (...option) =>
  executorOption(...option).conflicts('executorUrl');

const milliseconds = values.integerUpTo(3_600_000);
const MIB = 1024 * 1024;

const NO_NAMES: readonly string[] = [];

const OPTIONS: readonly Option[] = [
  new Option('--http [host:port]', 'serve Streamable HTTP at /mcp (default: stdio)')
    .preset(values.LISTEN)
    .argParser(values.address),
  new Option(
    '--http-names <list>',
    'host names by which clients reach this server, in addition to loopback',
  )
    .default([], 'none')
    .argParser(values.hostNames),
  new Option(
    '--facts <file>',
    'YAML or JSON file of facts that apply to every check and that the model cannot change',
  )
    .default({}, 'none')
    .argParser(values.facts)
    .env('GATEHOUSE_FACTS_FILE'),
  new Option('--profile <file>', 'profile file for the policy that runs in this process')
    .default(defaultProfile, 'the default profile')
    .argParser(values.profile)
    .env('POLICY_PROFILE_FILE')
    .conflicts('policyUrl'),
  new Option('--log-amounts <true|false>', "whether this server's log includes amounts of money")
    .default(false)
    .argParser(values.trueOrFalse)
    .env('POLICY_LOG_AMOUNTS'),
  new Option('--max-bytes <n>', 'size limit for the part of a body that a model gets')
    .default(MODEL_MAX_BYTES)
    .argParser(values.integerUpTo(MAX_ANSWER_BYTES, 64))
    .env('GATEHOUSE_MAX_BYTES'),
  new Option(
    '--policy-url <url>',
    'URL of a policy service (default: evaluate the policy in this process)',
  ).env('GATEHOUSE_POLICY_URL'),
  new Option('--approver-token-file <file>', 'file with the token that signs approvals')
    .argParser(values.token)
    .env(APPROVER_TOKEN_FILE),
  new Option(
    '--executor-url <url>',
    'URL of an executor service (default: send requests from this process)',
  ).env('GATEHOUSE_EXECUTOR_URL'),
  localOption(
    '--allowed-hosts <list>',
    'hosts that requests may reach',
    NO_NAMES,
    values.allowedHosts,
  ),
  localOption<LoadedDestinations | undefined>(
    '--destinations-file <file>',
    'YAML or JSON file of destinations and their credentials, which replaces the allowed hosts',
    undefined,
    values.destinations,
  ).conflicts('allowedHosts'),
  localOption(
    '--allowed-networks <list>',
    'networks (CIDR) to which allowed hosts may resolve, in addition to public addresses',
    NO_NAMES,
    values.networks,
  ),
  // Keep the default limits low, because many MCP hosts wait only 60 s for a tool and put its whole
  // result into the model's context.
  localOption('--attempt-timeout-ms <ms>', 'time limit for one attempt', 15_000, milliseconds),
  executorOption('--total-timeout-ms <ms>', 'time limit for one call', 50_000, milliseconds),
  localOption(
    '--max-response-bytes <n>',
    'size limit for one response',
    MIB,
    values.integerUpTo(2 * MIB),
  ),
  localOption(
    '--redacted-headers <names>',
    'additional headers to redact',
    NO_NAMES,
    values.headerNames,
  ),
  localOption(
    '--shown-headers <names>',
    'headers to show unredacted',
    NO_NAMES,
    values.headerNames,
  ),
];

const KNOWN = [...OPTIONS.flatMap(({ envVar }) => envVar ?? []), ...Object.values(TOKENS)];

/** Describes variables that were probably meant to be settings, such as a limit. */
function misspelledSettings(env: NodeJS.ProcessEnv): string[] {
  return ['HTTP_EXECUTOR', 'POLICY', 'GATEHOUSE'].flatMap((prefix) => {
    const { misspelled } = unknownSettings(prefix, KNOWN, env);
    return Object.entries(misspelled).map(([name, advice]) => `${name} ${advice}`);
  });
}

/** Lists settings that have no effect, such as a token for a service whose URL is not set. */
export function unusedSettings(env: NodeJS.ProcessEnv, options: Options): string[] {
  const { http, httpNames, policyUrl, executorUrl } = options;
  const ofPolicy = [TOKENS.policy, TOKENS.approver, APPROVER_TOKEN_FILE];
  const others = [!executorUrl && TOKENS.executor, !http && TOKENS.mcp];
  const useless = [...(policyUrl === undefined ? ofPolicy : []), ...others];
  const used = KNOWN.filter((name) => !useless.includes(name));
  const ours = /^(?:GATEHOUSE|POLICY|HTTP_EXECUTOR)_/;
  const unused = Object.keys(env).filter((name) => ours.test(name) && !used.includes(name));
  return http === undefined && httpNames.length > 0 ? [...unused, '--http-names'] : unused;
}
