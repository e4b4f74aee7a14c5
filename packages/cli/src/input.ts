import { closeSync, openSync, readSync } from 'node:fs';
import { type Profiles, parseYaml, printable, readProfiles } from '@gatehouse/policy-profile';
import type { Checked } from '@gatehouse/validation';

/** Something cannot be used, and the message says why. */
export class CannotUse extends Error {
  override readonly name = 'CannotUse';
}

/** A `CannotUse` with the reason for which a file cannot be used. */
export function cannotBe(done: 'read' | 'written', file: string, error: unknown): CannotUse {
  const { code, message } = error as NodeJS.ErrnoException;
  return new CannotUse(`${file}: cannot be ${done} (${code ?? message})`);
}

/** `-` is standard input, as everywhere. @throws {CannotUse} or {InvalidFile} */
export function profilesIn(file: string): Profiles {
  return readProfiles(contentOf(file), file);
}

const MOST_SHOWN = 20;

/** A misspelt name would be judged as everyone else. @throws {CannotUse} if no profile has it */
export function checkCaller(caller: string | undefined, ...files: readonly Profiles[]): void {
  const known = [...new Set(files.flatMap(({ callers }) => [...callers.keys()]))];
  if (caller === undefined || known.includes(caller)) return;
  const names = known.length === 0 ? 'none; leave it out' : known.slice(0, MOST_SHOWN).join(', ');
  throw new CannotUse(`\`${printable(caller)}\` is not a caller of the profile; known: ${names}`);
}

/**
 * A document that passes a check: in a YAML or JSON file, or the argument itself if that
 * begins with a brace. @throws {CannotUse} or {InvalidFile}
 */
export function documentOf<T>(argument: string, check: (value: unknown) => Checked<T>): T {
  const inline = argument.trimStart().startsWith('{');
  const source = inline ? 'argument' : argument;
  const text = inline ? argument : new TextDecoder().decode(contentOf(argument));
  return parseYaml(text, source, check);
}

/** Far more than a profile or its cases need; reading stops here, because a device never ends. */
export const MAX_BYTES = 1024 * 1024;

/** Reads a file, or a pipe as shells make it for `<(…)`. @throws {CannotUse} */
function contentOf(file: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    const opened = file === '-' ? 0 : openSync(file, 'r');
    try {
      bytes = firstBytes(opened);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw cannotBe('read', file, error);
  }
  if (bytes.length > MAX_BYTES) throw new CannotUse(`${file}: is larger than ${MAX_BYTES} bytes`);
  return bytes;
}

/** One byte more than is allowed shows that a file is too large. */
function firstBytes(file: number): Uint8Array {
  const bytes = new Uint8Array(MAX_BYTES + 1);
  let length = 0;
  let read = -1;
  while (read !== 0 && length < bytes.length) {
    read = readSync(file, bytes, length, bytes.length - length, null);
    length += read;
  }
  return bytes.subarray(0, length);
}
