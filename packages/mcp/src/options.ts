import { parseYaml, readTextFile } from '@gatehouse/config-file';
import { FixedSections, HEADER_NAME } from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/contracts/validation';
import type { ExecutionLimits } from '@gatehouse/http-executor';
import { CHECK_FORMATS, defaultProfile, type Profile } from '@gatehouse/policy';
import { readProfileFile } from '@gatehouse/policy/files';
import { Command, InvalidArgumentError, Option } from 'commander';

/** Settings that the operator chooses. `tokens` can be set only with environment variables. */
export interface Options extends LocalExecutorOptions {
  /** Address for HTTP. If undefined, the server uses stdio. */
  readonly http?: { readonly host: string; readonly port: number };
  readonly httpNames: readonly string[];
  readonly facts: FixedSections;
  readonly profile: Profile;
  readonly policyUrl?: string;
  readonly executorUrl?: string;
  readonly tokens: Readonly<Record<keyof typeof TOKENS, string | undefined>>;
}

export interface LocalExecutorOptions
  extends Pick<ExecutionLimits, 'attemptTimeoutMs' | 'totalTimeoutMs' | 'maxResponseBytes'> {
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
Tokens can be set only as environment variables:
  ${TOKENS.policy}    token for the policy service
  ${TOKENS.executor}  token for the executor service
  ${TOKENS.mcp}       token that HTTP clients must send`;

/**
 * Reads the command line and the environment.
 * @throws {CommanderError} that says what to change. `--help` also throws, but with exit code 0.
 * @throws {InvalidFile} for an invalid profile or facts file.
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
  const mcp = env[TOKENS.mcp];
  if (flags.http !== undefined && mcp !== undefined && !/^[\x21-\x7e]+$/.test(mcp))
    program.error(`error: ${TOKENS.mcp} must be visible ASCII characters, without spaces`);
  if (flags.http !== undefined && mcp === undefined && !isLoopback(flags.http.host))
    program.error(`error: set ${TOKENS.mcp}, because other machines can reach ${flags.http.host}`);
  return { ...flags, tokens: { mcp, policy: env[TOKENS.policy], executor: env[TOKENS.executor] } };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

// The following parsers throw InvalidArgumentError or InvalidFile.

const LISTEN = '127.0.0.1:8094';

function parseAddress(text: string): { host: string; port: number } {
  const [, host, digits] = /^\[?([^\s[\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new InvalidArgumentError(`Use host:port, such as ${LISTEN}.`);
}

/** Returns a parser for a comma-separated list whose entries must match a pattern. */
function listOf(pattern: RegExp, noun: string): (text: string) => string[] {
  return (text) => {
    const entries = text.split(',').map((entry) => entry.trim());
    const wrong = entries.find((entry) => entry !== '' && !pattern.test(entry));
    if (wrong !== undefined) throw new InvalidArgumentError(`\`${wrong}\` is not ${noun}.`);
    return entries.filter((entry) => entry !== '');
  };
}

const readProfile = (file: string): Profile => readProfileFile(file).default;

/** Maximum size of a facts file. A typical facts file is a few hundred bytes long. */
const MAX_FACTS_BYTES = 32 * 1024;

const checkFacts = compileValidator(FixedSections, CHECK_FORMATS);

function readFacts(file: string): FixedSections {
  return parseYaml(readTextFile(file, MAX_FACTS_BYTES), file, checkFacts);
}

function integerUpTo(max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
    throw new InvalidArgumentError(`Use a whole number from 1 to ${max}.`);
  };
}

const milliseconds = integerUpTo(3_600_000);
const MIB = 1024 * 1024;

/** Returns a command-line option that an `HTTP_EXECUTOR_*` variable can also set. */
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

const HOST_NAME = /^(?:[a-z\d.-]+|\[[\da-f:]+\])$/;
const hostNames = listOf(HOST_NAME, 'a host name in lower case, without a scheme or port');
const headerNames = listOf(HEADER_NAME, 'a header name');
const entries = listOf(/./, 'an entry');

const OPTIONS: readonly Option[] = [
  new Option('--http [host:port]', 'serve Streamable HTTP at /mcp (default: stdio)')
    .preset(LISTEN)
    .argParser(parseAddress),
  new Option(
    '--http-names <list>',
    'host names by which clients reach this server, in addition to loopback',
  )
    .default([], 'none')
    .argParser(hostNames),
  new Option(
    '--facts <file>',
    'YAML or JSON file of facts that apply to every check and that the model cannot change',
  )
    .default({}, 'none')
    .argParser(readFacts)
    .env('GATEHOUSE_FACTS_FILE'),
  new Option('--profile <file>', 'profile file for the policy that runs in this process')
    .default(defaultProfile, 'the default profile')
    .argParser(readProfile)
    .env('POLICY_PROFILE_FILE')
    .conflicts('policyUrl'),
  new Option(
    '--policy-url <url>',
    'URL of a policy service (default: evaluate the policy in this process)',
  ).env('GATEHOUSE_POLICY_URL'),
  new Option(
    '--executor-url <url>',
    'URL of an executor service (default: send requests from this process)',
  ).env('GATEHOUSE_EXECUTOR_URL'),
  localOption('--allowed-hosts <list>', 'hosts that requests may reach', [], entries),
  localOption(
    '--allowed-networks <list>',
    'networks (CIDR) to which allowed hosts may resolve, in addition to public addresses',
    [],
    entries,
  ),
  // Keep the default limits low, because many MCP hosts wait only 60 s for a tool and put its whole
  // result into the model's context.
  localOption('--attempt-timeout-ms <ms>', 'time limit for one attempt', 15_000, milliseconds),
  executorOption('--total-timeout-ms <ms>', 'time limit for one call', 50_000, milliseconds),
  localOption('--max-response-bytes <n>', 'size limit for one response', MIB, integerUpTo(2 * MIB)),
  localOption('--redacted-headers <names>', 'additional headers to redact', [], headerNames),
  localOption('--shown-headers <names>', 'headers to show unredacted', [], headerNames),
];

/** Lists settings that have no effect, including misspelled environment variables. */
export function unusedSettings(env: NodeJS.ProcessEnv, options: Options): string[] {
  const { http, httpNames, policyUrl, executorUrl } = options;
  const tokens = [policyUrl && TOKENS.policy, executorUrl && TOKENS.executor, http && TOKENS.mcp];
  const used = [...OPTIONS.map(({ envVar }) => envVar), ...tokens];
  const ours = /^(?:GATEHOUSE|POLICY|HTTP_EXECUTOR)_/;
  const unused = Object.keys(env).filter((name) => ours.test(name) && !used.includes(name));
  return http === undefined && httpNames.length > 0 ? [...unused, '--http-names'] : unused;
}
