import { readFileSync } from 'node:fs';
import { CURRENCY_FORMAT, Facts } from '@gatehouse/contracts';
import { defaultProfile, findCurrency, type Profile } from '@gatehouse/policy-engine';
import { InvalidFile, parseYaml, readProfileFile } from '@gatehouse/policy-profile';
import { compileCheck } from '@gatehouse/validation';
import { Command, InvalidArgumentError, Option } from 'commander';
import { EXECUTOR_OPTIONS, type ExecutorOptions, list } from './executor-options.ts';
import { type HttpOptions, isLoopback, TOKEN } from './transports/access.ts';

/** What the operator wants; tokens come from the environment alone. */
export interface Options {
  /** Undefined: stdio. */
  readonly http: HttpOptions | undefined;
  readonly facts: Facts;
  readonly policy: Remote | { readonly profile: Profile };
  readonly executor: Remote | ExecutorOptions;
}

export interface Remote {
  readonly url: string;
  readonly token: string | undefined;
}

interface Flags extends ExecutorOptions {
  readonly http?: Pick<HttpOptions, 'host' | 'port'>;
  readonly httpNames: readonly string[];
  readonly policyUrl?: string;
  readonly executorUrl?: string;
  readonly profile?: Profile;
  readonly facts: Facts;
}

const LISTEN = '127.0.0.1:8094';

const TOKENS = ['GATEHOUSE_POLICY_TOKEN', 'GATEHOUSE_EXECUTOR_TOKEN', 'GATEHOUSE_MCP_TOKEN'];
const TOKENS_HELP = `
Tokens are taken from the environment alone:
  ${TOKENS[0]}, ${TOKENS[1]}  sent to the services
  ${TOKENS[2]}                               asked of clients over HTTP`;

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
  const flags = program.parse(args, { from: 'user' }).opts<Flags>();
  const { GATEHOUSE_POLICY_TOKEN, GATEHOUSE_EXECUTOR_TOKEN, GATEHOUSE_MCP_TOKEN } = process.env;
  const http = flags.http && {
    ...flags.http,
    names: flags.httpNames,
    token: GATEHOUSE_MCP_TOKEN,
  };
  const wrong = http && wrongAccess(http);
  if (wrong !== undefined) program.error(`error: ${wrong}`);
  return {
    http,
    facts: flags.facts,
    policy:
      flags.policyUrl === undefined
        ? { profile: flags.profile ?? defaultProfile }
        : { url: flags.policyUrl, token: GATEHOUSE_POLICY_TOKEN },
    executor:
      flags.executorUrl === undefined
        ? flags
        : { url: flags.executorUrl, token: GATEHOUSE_EXECUTOR_TOKEN },
  };
}

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
    .argParser(profileOf)
    .env('POLICY_PROFILE_FILE')
    .conflicts('policyUrl'),
  new Option('--policy-url <url>', 'a policy service (default: in this process)').env(
    'GATEHOUSE_POLICY_URL',
  ),
  new Option('--executor-url <url>', 'an executor service (default: in this process)').env(
    'GATEHOUSE_EXECUTOR_URL',
  ),
  ...EXECUTOR_OPTIONS,
];

/** Settings of ours and of the services that do nothing here, or are misspelt. */
export function unusedSettings(env: NodeJS.ProcessEnv): string[] {
  const known = OPTIONS.map(({ envVar }) => envVar).concat(TOKENS);
  const ours = /^(?:GATEHOUSE|POLICY|HTTP_EXECUTOR)_/;
  return Object.keys(env).filter((name) => ours.test(name) && !known.includes(name));
}

function listenAt(text: string): { host: string; port: number } {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new InvalidArgumentError(`It must be host:port, such as ${LISTEN}.`);
}

/** What is missing; undefined: nothing. */
function wrongAccess({ host, token }: HttpOptions): string | undefined {
  if (token !== undefined && !TOKEN.test(token))
    return 'GATEHOUSE_MCP_TOKEN must be visible ASCII characters, without spaces';
  return token === undefined && !isLoopback(host)
    ? `set GATEHOUSE_MCP_TOKEN: ${host} may be reached by others`
    : undefined;
}

function profileOf(file: string): Profile {
  try {
    return readProfileFile(file).default;
  } catch (error) {
    throw error instanceof InvalidFile ? new InvalidArgumentError(error.message) : error;
  }
}

const checkFacts = compileCheck(Facts, {
  [CURRENCY_FORMAT]: (code) => findCurrency(code) !== undefined,
});

function factsOf(file: string): Facts {
  const { value, mistakes, locate } = parseYaml(textOf(file));
  const checked = checkFacts(value);
  const wrong = checked.ok ? mistakes : [...mistakes, ...locate(checked.violations)];
  if (checked.ok && wrong.length === 0) return checked.value;
  throw new InvalidArgumentError(new InvalidFile(file, wrong).message);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function hostNames(text: string): string[] {
  const names = list(text);
  const wrong = names.find((name) => !URL.canParse(`http://${name}`) || /[/:?#@]/.test(name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`\`${wrong}\` is no host name; leave scheme and port out.`);
  return names;
}
