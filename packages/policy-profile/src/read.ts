import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { ProfileSet, type ProfileSource, type Violation } from '@gatehouse/contracts';
import { completeProfile, InvalidProfile, type Profile } from '@gatehouse/policy-engine';
import { compileValidator } from '@gatehouse/validation';
import { InvalidFile } from './invalid-file.ts';
import { type Profiles, profilesOf } from './profiles.ts';
import { parseYaml } from './yaml-text.ts';

/** Reading more would hold up other work; a profile has one or two. */
const MAX_BYTES = 32 * 1024;

/**
 * Reads a profile file: one profile, or several and who gets which.
 * @throws InvalidFile that lists every mistake
 */
export function readProfileFile(path: string): Profiles {
  return readProfiles(bytesOf(path), path);
}

/** As `readProfileFile`, of its content; `file` stands in messages. @throws InvalidFile */
export function readProfiles(content: string | Uint8Array, file: string): Profiles {
  const text = typeof content === 'string' ? content : textOf(content, file);
  const { value, mistakes, locate } = parseYaml(text);
  if (mistakes.length > 0) throw new InvalidFile(file, mistakes);
  const read = isSet(value) ? readSet(value) : readOne(value);
  if (Array.isArray(read)) throw new InvalidFile(file, locate(read));
  return read;
}

const isSet = (value: unknown) =>
  typeof value === 'object' && value !== null && 'profiles' in value;

function readOne(source: unknown): Profiles | Violation[] {
  const profile = complete(source);
  return Array.isArray(profile) ? profile : profilesOf(profile);
}

function complete(source: unknown): Profile | Violation[] {
  try {
    return completeProfile(source as ProfileSource);
  } catch (error) {
    if (error instanceof InvalidProfile) return [...error.violations];
    throw error;
  }
}

const checkSet = compileValidator(ProfileSet, {}, Number.POSITIVE_INFINITY);

function readSet(value: unknown): Profiles | Violation[] {
  const checked = checkSet(value);
  if (!checked.ok) return checked.violations;
  const set = checked.value;
  const violations = misnamed(set);
  const all = set.profiles.flatMap((source, index) => {
    const profile = complete(source);
    if (!Array.isArray(profile)) return [profile];
    for (const { pointer, message } of profile)
      violations.push({ pointer: `/profiles/${index}${pointer}`, message });
    return [];
  });
  if (violations.length > 0) return violations;
  const named = (name: string) => all.find((profile) => profile.name === name) as Profile;
  const callers = Object.entries(set.callers ?? {});
  return {
    default: named(set.default),
    all,
    callers: new Map(callers.map(([caller, name]) => [caller, named(name)])),
  };
}

/** Names that stand for no profile or for two, and profiles that nobody gets. */
function misnamed({ default: otherwise, profiles, callers = {} }: ProfileSet): Violation[] {
  const names = profiles.map(({ name }) => name);
  const used = [['/default', otherwise]];
  for (const [caller, name] of Object.entries(callers)) used.push([`/callers/${caller}`, name]);
  const unknown = used.filter(([, name = '']) => !names.includes(name));
  const violations = unknown.map(([pointer = '']) => ({
    pointer,
    message: `must be the name of a profile of this file: ${[...new Set(names)].join(', ')}`,
  }));
  for (const [index, name] of names.entries()) {
    const pointer = `/profiles/${index}/name`;
    if (names.indexOf(name) < index)
      violations.push({ pointer, message: 'is the name of an earlier profile, too' });
    else if (!used.some(([, other]) => other === name))
      violations.push({
        pointer,
        message: 'never answers: it is neither `default` nor in `callers`',
      });
  }
  return violations;
}

/** @throws InvalidFile */
function bytesOf(path: string): Uint8Array {
  try {
    return readBytes(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InvalidFile(path, `cannot be read (${code ?? message})`);
  }
}

/** @throws InvalidFile */
function textOf(bytes: Uint8Array, file: string): string {
  if (bytes.length > MAX_BYTES) throw new InvalidFile(file, `is larger than ${MAX_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidFile(file, 'is not in UTF-8');
  }
}

/** No more than it takes to see that a file is too large. */
function readBytes(path: string): Uint8Array {
  // A pipe without a writer would hold up the whole process.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const kind = fstatSync(file);
    if (!kind.isFile() && !kind.isDirectory()) throw new Error('it is not a regular file');
    return readUpTo(file, MAX_BYTES + 1);
  } finally {
    closeSync(file);
  }
}

/** The first bytes of an open file, at most so many. */
export function readUpTo(file: number, most: number): Uint8Array {
  const bytes = new Uint8Array(most);
  let length = 0;
  let read = -1;
  while (read !== 0 && length < most) {
    read = readSync(file, bytes, length, most - length, null);
    length += read;
  }
  return bytes.subarray(0, length);
}
