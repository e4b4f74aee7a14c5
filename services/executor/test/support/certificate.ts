import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

/** A fresh self-signed certificate for these names; needs the `openssl` command. */
export function selfSigned(...names: readonly string[]): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    const alternatives = names.map((name) => `DNS:${name}`).join(',');
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
        ...['-keyout', key, '-out', cert, '-subj', '/CN=gatehouse-test', '-addext', `subjectAltName=${alternatives}`],
      ],
      { stdio: 'pipe' },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
