import { InvalidFile } from '@gatehouse/policy-profile';
import { CannotUse, loadProfiles } from '../input.ts';
import { EXIT, type Write } from '../output.ts';

/** `gatehouse lint`, which prints `file:line:column: message` for editors and CI. */
export function lint(write: Write, files: readonly string[]): number {
  const linted = files.map(lintOne);
  write(
    linted.map(({ text, ...shown }) => shown),
    () => linted.map(({ text }) => text).join('\n'),
  );
  if (linted.some(({ mistakes }) => mistakes.length > 0)) return EXIT.found;
  return linted.every(({ profiles }) => profiles.length > 0) ? EXIT.fine : EXIT.unusable;
}

function lintOne(file: string) {
  try {
    const profiles = loadProfiles(file).all.map(({ name }) => name);
    return { file, profiles, mistakes: [], text: `${file}: no mistakes in ${profiles.join(', ')}` };
  } catch (error) {
    if (!(error instanceof CannotUse || error instanceof InvalidFile)) throw error;
    const mistakes = error instanceof InvalidFile ? error.mistakes : [];
    return { file, profiles: [], mistakes, text: error.message };
  }
}
