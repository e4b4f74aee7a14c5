import { readFileSync } from 'node:fs';
import { InvalidFile, parseYaml } from '@gatehouse/config-file';
import { CURRENCY_FORMAT, FixedSections, HEADER_NAME } from '@gatehouse/contracts';
import { findCurrency, type Profile } from '@gatehouse/policy-engine';
import { readProfileFile } from '@gatehouse/policy-profile';
import { compileValidator } from '@gatehouse/validation';
import { InvalidArgumentError } from 'commander';

// Parsers of option values. They throw InvalidArgumentError.

export const LISTEN = '127.0.0.1:8094';

export function parseAddress(text: string): { host: string; port: number } {
  const [, host, digits] = /^\[?([^\s[\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new InvalidArgumentError(`Use host:port, such as ${LISTEN}.`);
}

export function parseHostNames(text: string): string[] {
  const names = parseList(text);
  const wrong = names.find((name) => URL.parse(`http://${name}`)?.href !== `http://${name}/`);
  if (wrong !== undefined)
    throw new InvalidArgumentError(
      `\`${wrong}\` is not a host name; omit the scheme and the port.`,
    );
  return names;
}

export function readProfile(file: string): Profile {
  return usable(() => readProfileFile(file).default);
}

const checkFacts = compileValidator(FixedSections, {
  [CURRENCY_FORMAT]: (code) => findCurrency(code) !== undefined,
});

export function readFacts(file: string): FixedSections {
  return usable(() => parseYaml(optionFileText(file), file, checkFacts));
}

function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidFile ? new InvalidArgumentError(error.message) : error;
  }
}

function optionFileText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(
      `The file cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

export function parseList(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

export function parseHeaderNames(text: string): string[] {
  const names = parseList(text);
  const malformed = names.find((name) => !HEADER_NAME.test(name));
  if (malformed !== undefined)
    throw new InvalidArgumentError(`\`${malformed}\` is not a header name.`);
  return names.map((name) => name.toLowerCase());
}

export function integerUpTo(max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
    throw new InvalidArgumentError(`Use a whole number from 1 to ${max}.`);
  };
}
