import { statSync } from 'node:fs';
import { MIN_SECRET_CHARS } from '../limits.ts';
import type { LoadedDestinations } from '../loaded-destinations.ts';
import { readSecret, secretPathOf, Unavailable } from './secret-file.ts';

/** Lists problems with the secret files. Only `errors` prevent startup. */
export function inspectSecrets(file: LoadedDestinations): { errors: string[]; warnings: string[] } {
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const [name, source] of Object.entries(file.destinations.credentials)) {
    const path = secretPathOf(source, file.path);
    try {
      if (readSecret(path).length < MIN_SECRET_CHARS)
        warnings.push(
          `the secret of the credential \`${name}\` has fewer than ${MIN_SECRET_CHARS} characters, so it stays visible wherever an upstream echoes it; use a longer secret`,
        );
      const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if ((mode & 0o004) !== 0)
        warnings.push(
          `every user can read the secret file of the credential \`${name}\`; set the file's mode to 0600`,
        );
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      errors.push(`${path}: cannot use the credential \`${name}\`: ${error.message}`);
    }
  }
  return { errors, warnings };
}
