import { parseYaml, readTextFile } from '@gatehouse/config-file';
import { FixedSections } from '@gatehouse/contracts';
import { CHECK_FORMATS, type Profile } from '@gatehouse/policy-engine';
import { readProfileFile } from '@gatehouse/policy-profile';
import { compileValidator } from '@gatehouse/validation';
import { InvalidArgumentError } from 'commander';

// The parsers in this file throw InvalidArgumentError or InvalidFile.

export const LISTEN = '127.0.0.1:8094';

export function parseAddress(text: string): { host: string; port: number } {
  const [, host, digits] = /^\[?([^\s[\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new InvalidArgumentError(`Use host:port, such as ${LISTEN}.`);
}

/** Returns a parser for a comma-separated list whose entries must match a pattern. */
export function listOf(pattern: RegExp, noun: string): (text: string) => string[] {
  return (text) => {
    const entries = text.split(',').map((entry) => entry.trim());
    const wrong = entries.find((entry) => entry !== '' && !pattern.test(entry));
    if (wrong !== undefined) throw new InvalidArgumentError(`\`${wrong}\` is not ${noun}.`);
    return entries.filter((entry) => entry !== '');
  };
}

export const readProfile = (file: string): Profile => readProfileFile(file).default;

/** Size limit for a file of facts. A typical file has a few hundred bytes. */
const MAX_FACTS_BYTES = 32 * 1024;

const checkFacts = compileValidator(FixedSections, CHECK_FORMATS);

export function readFacts(file: string): FixedSections {
  return parseYaml(readTextFile(file, MAX_FACTS_BYTES), file, checkFacts);
}

export function integerUpTo(max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
    throw new InvalidArgumentError(`Use a whole number from 1 to ${max}.`);
  };
}
