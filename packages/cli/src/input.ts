import { readFileSync } from 'node:fs';
import { InvalidFile, type Profiles, parseYaml, readProfiles } from '@gatehouse/policy-profile';
import type { Checked } from '@gatehouse/validation';

/** Something cannot be used, and the message says why. */
export class CannotUse extends Error {
  override readonly name = 'CannotUse';
}

/** `-` is standard input, as everywhere. @throws {CannotUse} or {InvalidFile} */
export function profilesIn(file: string): Profiles {
  return readProfiles(contentOf(file), file);
}

/** A misspelt name would be judged as everyone else. @throws {CannotUse} if no profile has it */
export function checkCaller(caller: string | undefined, ...files: readonly Profiles[]): void {
  const known = [...new Set(files.flatMap(({ callers }) => [...callers.keys()]))];
  if (caller === undefined || known.includes(caller)) return;
  const names = known.length === 0 ? 'none; leave it out' : known.slice(0, MOST_SHOWN).join(', ');
  throw new CannotUse(`\`${caller}\` is no caller of the profile; known there: ${names}`);
}

const MOST_SHOWN = 20;

/** A document in YAML or JSON that passes a check. @throws {CannotUse} or {InvalidFile} */
export function documentOf<T>(file: string, check: (value: unknown) => Checked<T>): T {
  const { value, mistakes, locate } = parseYaml(new TextDecoder().decode(contentOf(file)));
  if (mistakes.length > 0) throw new InvalidFile(file, mistakes);
  const checked = check(value);
  if (!checked.ok) throw new InvalidFile(file, locate(checked.violations));
  return checked.value;
}

/** Of pipes, too, as shells make them for `<(…)`. @throws {CannotUse} */
function contentOf(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CannotUse(`${file}: cannot be read (${code ?? message})`);
  }
}
