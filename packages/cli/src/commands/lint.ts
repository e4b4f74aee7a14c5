import { InvalidFile } from '@gatehouse/policy-profile';
import { CannotUse, profilesIn } from '../input.ts';
import { EXIT, type Write } from '../output.ts';

/** `gatehouse lint`: `file:line:column: what is wrong`, which editors and CI can read. */
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
    const profiles = profilesIn(file).all.map(({ name }) => name);
    return { file, profiles, mistakes: [], text: `${file}: no mistake; ${profiles.join(', ')}` };
  } catch (error) {
    if (!(error instanceof CannotUse || error instanceof InvalidFile)) throw error;
    const mistakes = error instanceof InvalidFile ? error.mistakes : [];
    return { file, profiles: [], mistakes, text: error.message };
  }
}
