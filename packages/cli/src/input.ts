import { readFileSync } from 'node:fs';
import {
  InvalidProfileFile,
  type Mistake,
  type Profiles,
  parseYaml,
  readProfiles,
} from '@gatehouse/policy-profile';
import type { Checked } from '@gatehouse/validation';

/** A file cannot be used; the message has a line for each mistake, `file:line:column: …`. */
export class CannotUse extends Error {
  override readonly name = 'CannotUse';
}

/** `-` is standard input, as everywhere. @throws {CannotUse} */
export function profilesIn(file: string): Profiles {
  try {
    return readProfiles(contentOf(file), file);
  } catch (error) {
    if (error instanceof InvalidProfileFile) throw new CannotUse(error.message);
    throw error;
  }
}

/** A misspelt name would be judged as everyone else. @throws {CannotUse} if no profile has it */
export function checkCaller(caller: string | undefined, ...files: readonly Profiles[]): void {
  const known = [...new Set(files.flatMap(({ callers }) => [...callers.keys()]))];
  if (caller === undefined || known.includes(caller)) return;
  const names = known.length === 0 ? 'none; leave it out' : known.slice(0, MOST_SHOWN).join(', ');
  throw new CannotUse(`\`${caller}\` is no caller of the profile; known there: ${names}`);
}

const MOST_SHOWN = 20;

/** A document in YAML or JSON that passes a check. @throws {CannotUse} */
export function documentOf<T>(file: string, check: (value: unknown) => Checked<T>): T {
  const { value, mistakes, locate } = parseYaml(new TextDecoder().decode(contentOf(file)));
  if (mistakes.length > 0) throw new CannotUse(linesOf(file, mistakes));
  const checked = check(value);
  if (!checked.ok) throw new CannotUse(linesOf(file, locate(checked.violations)));
  return checked.value;
}

/** Of pipes, too, as shells make them for `<(…)`. @throws {CannotUse} */
export function contentOf(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CannotUse(`${file}: cannot be read (${code ?? message})`);
  }
}

function linesOf(file: string, mistakes: readonly Mistake[]): string {
  return new InvalidProfileFile(file, mistakes).message;
}
