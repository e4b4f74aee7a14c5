import { statSync } from 'node:fs';
import { type CredentialSource, pointerToken } from '@gatehouse/contracts';
import type { LoadedDestinations } from '../destinations/load.ts';
import { MIN_SECRET_CHARS } from '../limits.ts';
import { readSecret, secretPathOf } from './secret-file.ts';

/** Lists problems with the credentials and their secret files. Only `errors` prevent startup. */
export function inspectSecrets(file: LoadedDestinations): { errors: string[]; warnings: string[] } {
  const errors: string[] = [];
  const warnings: string[] = [];
  const used = new Set(file.destinations.all.map(({ source }) => source.credential));
  for (const [name, source] of Object.entries(file.destinations.credentials)) {
    if (!used.has(name))
      warnings.push(
        `no destination uses the credential \`${name}\`; name it in a destination, or remove it`,
      );
    const path = secretPathOf(source, file.path);
    const secret = readSecret(path);
    if (secret.ok) warnings.push(...warningsOf(name, source, secret.value, path));
    else {
      const line = file.destinations.credentialLines.get(name);
      const entry = `${file.path}:${line}: /credentials/${pointerToken(name)}`;
      errors.push(`${entry} cannot be used: its ${secret.reason.reason} (${path})`);
    }
  }
  return { errors, warnings };
}

function warningsOf(name: string, { type }: CredentialSource, secret: string, path: string) {
  const warnings: string[] = [];
  if (secret.length < MIN_SECRET_CHARS)
    warnings.push(
      `the secret of the credential \`${name}\` has fewer than ${MIN_SECRET_CHARS} characters, so it stays visible wherever an upstream echoes it; use a longer secret`,
    );
  if (type === 'bearer' && /^bearer /i.test(secret))
    warnings.push(
      `the token of the credential \`${name}\` begins with \`Bearer \`, which the executor adds again; remove it from the file`,
    );
  const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if ((mode & 0o004) !== 0)
    warnings.push(
      `every user can read the secret file of the credential \`${name}\`; set the file's mode to 0600`,
    );
  return warnings;
}
