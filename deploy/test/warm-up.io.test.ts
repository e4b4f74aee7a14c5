import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from '@gatehouse/testing';
import { expect, it } from 'vitest';

const SCRIPT = new URL('../image/warm-up.sh', import.meta.url).pathname;

/** Health check that writes the file `asked` and succeeds once the file `ready` exists. */
const HEALTH = `import { existsSync, writeFileSync } from 'node:fs';
writeFileSync('asked', process.argv[2]);
process.exit(existsSync('ready') ? 0 : 1);`;

/**
 * Slow service that becomes ready only after one failed health check, and then exits with `code` on
 * SIGTERM.
 */
const endingWith = (code: number) => `import { existsSync, writeFileSync } from 'node:fs';
setInterval(() => {
  if (!existsSync('asked') || existsSync('ready')) return;
  process.on('SIGTERM', () => process.exit(${code}));
  writeFileSync('ready', '');
}, 10);`;

it.each([
  ['that ends with 0', endingWith(0), 0],
  ['that ends with 3', endingWith(3), 3],
  ['that does not start', 'process.exit(0);', 1],
])('warming up a service %s has the matching exit code', async (_name, service, code) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-warm-up-'));
  writeFileSync(join(folder.path, 'main.mjs'), service);
  writeFileSync(join(folder.path, 'healthcheck.mjs'), HEALTH);
  const command = `cd ${folder.path} && sh ${SCRIPT} POLICY`;
  await using warmUp = startProcess('sh', { args: ['-c', command] });
  expect(await warmUp.ended).toEqual({ code, signal: null });
});
