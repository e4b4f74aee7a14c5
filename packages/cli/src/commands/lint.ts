import { InvalidFile } from '@gatehouse/config-file';
import { CannotUse, loadProfiles } from '../input.ts';
import { EXIT, type Write } from '../output.ts';

/** `gatehouse lint`, which prints `file:line:column: message` for editors and CI. */
export function lint(write: Write, files: readonly string[]): number {
  const read = (file: string) => {
    const profiles = loadProfiles(file).all.map(({ name }) => name);
    return { shown: { profiles }, text: profiles.join(', ') };
  };
  return lintFiles(write, files, read, { profiles: [] });
}

/** Output for a valid file: JSON for programs, and text for people. */
interface Content {
  readonly shown: object;
  readonly text: string;
}

/**
 * Lists the mistakes in files. For a file that has mistakes or cannot be read, the JSON output
 * contains `unread` instead of the content. `reason` says why a file cannot be read.
 */
export function lintFiles(
  write: Write,
  files: readonly string[],
  read: (file: string) => Content,
  unread: object = {},
): number {
  const linted = files.map((file) => lintOne(file, read, unread));
  write(
    linted.map(({ shown }) => shown),
    () => linted.map(({ text }) => text).join('\n'),
  );
  const codes = linted.map(({ code }) => code);
  return codes.includes(EXIT.found) ? EXIT.found : Math.max(...codes);
}

function lintOne(file: string, read: (file: string) => Content, unread: object) {
  try {
    const { shown, text } = read(file);
    const mistakes: unknown[] = [];
    const summary = `${file}: no mistakes in ${text}`;
    return { shown: { file, ...shown, mistakes }, text: summary, code: EXIT.fine };
  } catch (error) {
    if (!(error instanceof CannotUse || error instanceof InvalidFile)) throw error;
    const mistakes = error instanceof InvalidFile ? error.mistakes : [];
    if (mistakes.length > 0)
      return { shown: { file, ...unread, mistakes }, text: error.message, code: EXIT.found };
    const { message: reason } = error;
    return { shown: { file, ...unread, mistakes, reason }, text: reason, code: EXIT.unusable };
  }
}
