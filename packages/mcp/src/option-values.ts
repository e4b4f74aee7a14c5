import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { parseYaml, readTextFile } from '@gatehouse/config-file';
import { FixedSections, HEADER_NAME } from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/contracts/validation';
import {
  inspectSecrets,
  type LoadedDestinations,
  listHosts,
  loadDestinations,
  parseAllowlist,
  parseNetworks,
} from '@gatehouse/http-executor';
import { CHECK_FORMATS } from '@gatehouse/policy';
import { readProfileFile } from '@gatehouse/policy/files';
import { InvalidArgumentError } from 'commander';

/** Throws only `InvalidArgumentError`, to which commander adds the option or the variable. */
type Parser<T> = (text: string) => T;

const parsedBy =
  <T>(parse: (text: string) => T): Parser<T> =>
  (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };

/** Parses a file. If a relative path does not exist, the error says where it was looked up. */
const parsedFile = <T>(parse: (file: string) => T) =>
  parsedBy((file) => {
    if (isAbsolute(file) || existsSync(file)) return parse(file);
    throw new Error(`${file}: not found in ${process.cwd()} (ENOENT); use an absolute path`);
  });

export const LISTEN = '127.0.0.1:8094';

export const address: Parser<{ host: string; port: number }> = (text) => {
  const [, host, digits] = /^\[?([^\s[\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new InvalidArgumentError(`Use host:port, such as ${LISTEN}.`);
};

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

const entriesOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Returns a parser for a comma-separated list whose entries must match a pattern. */
const listOf =
  (pattern: RegExp, noun: string): Parser<readonly string[]> =>
  (text) => {
    const entries = entriesOf(text);
    const wrong = entries.find((entry) => !pattern.test(entry));
    if (wrong !== undefined) throw new InvalidArgumentError(`\`${wrong}\` is not ${noun}.`);
    return entries;
  };

const HOST_NAME = /^(?:[a-z\d.-]+|\[[\da-f:]+\])$/;
export const hostNames = listOf(HOST_NAME, 'a host name in lower case, without a scheme or port');
export const headerNames = listOf(HEADER_NAME, 'a header name');

export const allowedHosts = parsedBy((text): readonly string[] =>
  listHosts(parseAllowlist(entriesOf(text)).all),
);

export const networks = parsedBy((text): readonly string[] => {
  const entries = entriesOf(text);
  parseNetworks(entries);
  return entries;
});

export const profile = parsedFile((file) => readProfileFile(file).default);

/** Maximum size of a facts file. A typical facts file is a few hundred bytes long. */
const MAX_FACTS_BYTES = 32 * 1024;

const checkFacts = compileValidator(FixedSections, CHECK_FORMATS);

export const facts = parsedFile((file) =>
  parseYaml(readTextFile(file, MAX_FACTS_BYTES), file, checkFacts),
);

/** Maximum size of a token file. A token has a few dozen characters. */
const MAX_TOKEN_BYTES = 4_096;

export const token = parsedFile((file) => {
  const text = readTextFile(file, MAX_TOKEN_BYTES).trim();
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new Error(`${file}: must contain one token of visible ASCII characters`);
});

export const destinations = parsedFile((file): LoadedDestinations => {
  const loaded = loadDestinations(file);
  const { errors } = inspectSecrets(loaded);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return loaded;
});

export function integerUpTo(max: number, min = 1): Parser<number> {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
  };
}

export const trueOrFalse: Parser<boolean> = (text) => {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('Use true or false.');
};
