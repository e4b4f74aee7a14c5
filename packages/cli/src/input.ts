import { closeSync, openSync, readSync } from 'node:fs';
import { decodeText, parseYaml } from '@gatehouse/config-file';
import { printable } from '@gatehouse/contracts';
import type { Checked } from '@gatehouse/contracts/validation';
import { type Destinations, readDestinations } from '@gatehouse/http-executor';
import { type Profiles, readProfiles } from '@gatehouse/policy/files';

/** Error whose message says why an argument cannot be used. */
export class CannotUse extends Error {
  override readonly name = 'CannotUse';
}

export function fileError(done: 'read' | 'written', file: string, error: unknown): CannotUse {
  if (file.trim() === '') return new CannotUse('argument: is empty; give the path of a file');
  const { code, message } = error as NodeJS.ErrnoException;
  return new CannotUse(`${file}: cannot be ${done} (${code ?? message})`);
}

/** Reads profiles from a file or standard input (`-`). @throws {InvalidFile | CannotUse} */
export function loadProfiles(file: string): Profiles {
  return readProfiles(readInput(file), file);
}

/** Reads destinations from a file or standard input (`-`). @throws {InvalidFile | CannotUse} */
export function loadDestinations(file: string): Destinations {
  return readDestinations(readText(file), file);
}

/** @throws {CannotUse} if no profile file lists the caller. Error messages begin with `place`. */
export function checkCaller(
  caller: string | undefined,
  files: readonly Profiles[],
  place = '',
): void {
  const known = [...new Set(files.flatMap(({ callers }) => [...callers.keys()]))];
  if (caller === undefined || known.includes(caller)) return;
  const hint =
    known.length === 0 ? 'omit the caller' : `use one of ${known.slice(0, 20).join(', ')}`;
  const message = `${place}\`${caller}\` is not a caller in the profile file; ${hint}`;
  throw new CannotUse(printable(message));
}

/**
 * Reads a YAML or JSON file. An argument that begins with `{` or `[` is the document, not a path.
 * @throws {InvalidFile | CannotUse}
 */
export function loadDocument<T>(argument: string, check: (value: unknown) => Checked<T>): T {
  if (/^\s*[{[]/.test(argument)) return parseYaml(argument, 'argument', check);
  return parseYaml(readText(argument), argument, check);
}

const MAX_BYTES = 1024 * 1024;

export const readText = (file: string): string => decodeText(readInput(file), file, MAX_BYTES);

function readInput(file: string): Uint8Array {
  try {
    const input = file === '-' ? STANDARD_INPUT : openSync(file, 'r');
    const content = readBeginning(input);
    if (input !== STANDARD_INPUT) closeSync(input);
    return content;
  } catch (error) {
    throw fileError('read', file, error);
  }
}

const STANDARD_INPUT = 0;

/** Reads at most one byte more than a file may have, because files like `/dev/zero` never end. */
function readBeginning(input: number): Uint8Array {
  const content = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  let read: number;
  do {
    read = readSync(input, content, length, content.length - length, null);
    length += read;
  } while (read > 0 && length < content.length);
  return content.subarray(0, length);
}
