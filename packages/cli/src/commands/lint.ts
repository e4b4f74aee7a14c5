import { InvalidFile } from '@gatehouse/config-file';
import { loadProfiles } from '../input.ts';
import { EXIT, type Write } from '../output.ts';

export function lint(write: Write, files: readonly string[]): number {
  return lintFiles(write, files, (file) => {
    const profiles = loadProfiles(file).all.map(({ name }) => name);
    return { shown: { profiles }, text: profiles.join(', ') };
  });
}

/** Reads a file, and returns a summary as JSON (`shown`) and as text. @throws {InvalidFile} */
type Read = (file: string) => { readonly shown: object; readonly text: string };

/** Prints the mistakes in each file. If a file is unreadable, `reason` in the JSON says why. */
export function lintFiles(write: Write, files: readonly string[], read: Read): number {
  const linted = files.map((file) => lintOne(file, read));
  write(
    linted.map(({ shown }) => shown),
    () => linted.map(({ text }) => text).join('\n'),
  );
  const codes = linted.map(({ code }) => code);
  return codes.includes(EXIT.found) ? EXIT.found : Math.max(...codes);
}

function lintOne(file: string, read: Read) {
  try {
    const { shown, text } = read(file);
    const summary = `${file}: no errors in ${text}`;
    return { shown: { file, ...shown, mistakes: [] }, text: summary, code: EXIT.fine };
  } catch (error) {
    if (!(error instanceof InvalidFile)) throw error;
    const { mistakes, message } = error;
    if (mistakes.length > 0) return { shown: { file, mistakes }, text: message, code: EXIT.found };
    return { shown: { file, mistakes, reason: message }, text: message, code: EXIT.unusable };
  }
}
