import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseSigningKeys } from '@gatehouse/policy/files';
import { CannotUse, fileError } from '../input.ts';
import { EXIT, type Write } from '../output.ts';

interface Options {
  readonly add?: true;
  readonly useLast?: true;
  readonly public?: string;
}

/**
 * Runs `gatehouse keygen`, which writes a signing key for the policy service, and the public keys
 * for executors. `--add` adds a key that is accepted but does not sign yet. Once all executors know
 * it, `--use-last` lets it sign, so that a change of keys leaves no gap.
 */
export function keygen(write: Write, file: string, options: Options): number {
  const { add, useLast, public: publicFile = `${file}.jwks.json` } = options;
  const known = add || useLast ? readKeys(file) : [];
  const pems = useLast ? [...known.slice(-1), ...known.slice(0, -1)] : [...known, newKey()];
  const text = pems.join('\n');
  const { kid, keySet } = parseSigningKeys(`${text}\n`);
  if (known.length === 0) createFile(file, `${text}\n`);
  // Write the public keys before they change, so that executors know a key before it signs.
  replaceFile(publicFile, `${JSON.stringify(keySet, undefined, 2)}\n`, 0o644);
  if (known.length > 0) replaceFile(file, `${text}\n`, 0o600);
  const keys = { signs: kid, accepted: keySet.keys.map((key) => key.kid) };
  write({ ...keys, private_keys_file: file, public_keys_file: publicFile }, () =>
    [
      `${file}: ${kid} signs, of ${pems.length} accepted; set POLICY_SIGNING_KEY_FILE to this file`,
      `${publicFile}: the public keys; set HTTP_EXECUTOR_DECISION_KEYS to this file`,
    ].join('\n'),
  );
  return EXIT.fine;
}

const newKey = (): string =>
  generateKeyPairSync('ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
    .trim();

const AFTER_KEY = /(?<=-----END PRIVATE KEY-----)\s+/;

function readKeys(file: string): readonly string[] {
  try {
    const text = readFileSync(file, 'utf8');
    parseSigningKeys(text);
    return text.split(AFTER_KEY).filter((pem) => pem !== '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined
      ? new CannotUse(`${file}: ${message}`)
      : fileError('read', file, error);
  }
}

function createFile(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError('written', file, error);
    throw new CannotUse(`${file}: exists; choose another file, or add a key to it with \`--add\``);
  }
}

/** Replaces a file whole, so that no reader sees half of it. */
function replaceFile(file: string, text: string, mode: number): void {
  try {
    writeFileSync(`${file}.new`, text, { mode });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw fileError('written', file, error);
  }
}
