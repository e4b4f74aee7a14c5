import { InvalidProfileFile, type Mistake, readProfiles } from '@gatehouse/policy-profile';
import { EXIT } from '../exit.ts';
import { CannotUse, contentOf } from '../input.ts';
import type { Output } from '../output.ts';

interface Linted {
  readonly file: string;
  readonly profiles: readonly string[];
  readonly mistakes: readonly Mistake[];
  readonly text: string;
}

/** `gatehouse lint`: `file:line:column: what is wrong`, as editors and CI know it. */
export function lint(output: Output, files: readonly string[]): number {
  const linted = files.map(lintOne);
  output.write(
    linted.map(({ text, ...shown }) => shown),
    () => linted.map(({ text }) => text).join('\n'),
  );
  if (linted.some(({ mistakes }) => mistakes.length > 0)) return EXIT.found;
  return linted.every(({ profiles }) => profiles.length > 0) ? EXIT.fine : EXIT.unusable;
}

function lintOne(file: string): Linted {
  try {
    const profiles = readProfiles(contentOf(file), file).all.map(({ name }) => name);
    return { file, profiles, mistakes: [], text: `${file}: no mistake; ${profiles.join(', ')}` };
  } catch (error) {
    if (error instanceof CannotUse)
      return { file, profiles: [], mistakes: [], text: error.message };
    if (!(error instanceof InvalidProfileFile)) throw error;
    return { file, profiles: [], mistakes: error.mistakes, text: error.message };
  }
}
