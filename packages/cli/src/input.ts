import { readFileSync } from 'node:fs';
import {
  InvalidProfileFile,
  type Mistake,
  type Profiles,
  parseYaml,
  readProfileFile,
} from '@gatehouse/policy-profile';
import type { Checked } from '@gatehouse/validation';

/** A file cannot be used; the message has a line for each mistake, `file:line:column: …`. */
export class CannotRead extends Error {
  override readonly name = 'CannotRead';
}

/** @throws {CannotRead} */
export function profilesOf(file: string): Profiles {
  try {
    return readProfileFile(file);
  } catch (error) {
    if (error instanceof InvalidProfileFile) throw new CannotRead(error.message);
    throw error;
  }
}

/** A document in YAML or JSON that passes a check; `-` is standard input. @throws {CannotRead} */
export function documentOf<T>(file: string, check: (value: unknown) => Checked<T>): T {
  const { value, mistakes, locate } = parseYaml(textOf(file));
  if (mistakes.length > 0) throw new CannotRead(linesOf(file, mistakes));
  const checked = check(value);
  if (!checked.ok) throw new CannotRead(linesOf(file, locate(checked.violations)));
  return checked.value;
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CannotRead(`${file}: ${(error as Error).message}`);
  }
}

function linesOf(file: string, mistakes: readonly Mistake[]): string {
  return new InvalidProfileFile(file, mistakes).message;
}
