import { InvalidFile } from '@gatehouse/config-file';
import { CannotUse, loadProfiles } from '../input.ts';
import { EXIT, type Write } from '../output.ts';

export function lint(write: Write, files: readonly string[]): number {
  return lintFiles(write, files, (file) => {
    const profiles = loadProfiles(file).all.map(({ name }) => name);
    return { shown: { profiles }, text: profiles.join(', ') };
  });
}

/** Summarizes a file as JSON (`shown`) and as text. @throws {InvalidFile | CannotUse} */
type Read = (file: string) => { readonly shown: object; readonly text: string };

/** Prints the mistakes in each file. If a file cannot be parsed, `reason` in the JSON says why. */
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
    if (!(error instanceof InvalidFile || error instanceof CannotUse)) throw error;

    const code = error instanceof InvalidFile ? EXIT.found : EXIT.unusable;
    const mistakes = error instanceof InvalidFile ? error.mistakes : [];
    const reason = mistakes.length === 0 ? error.message : undefined;
    return { shown: { file, mistakes, reason }, text: error.message, code };
  }
}
