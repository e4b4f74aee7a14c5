import { fileURLToPath } from 'node:url';
import { startProcess } from '@gatehouse/testing';
import { expect, it } from 'vitest';

it('is busy while the process cannot open files for another thread, and goes on', async () => {
  const script = fileURLToPath(new URL('./support/few-files.ts', import.meta.url));
  const args = ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, script];
  await using limited = startProcess('bash', { args });
  await limited.ended;
  expect(limited.lines()).toEqual([
    { ok: false, reason: 'busy' },
    { ok: true, value: 'echo' },
  ]);
});
