import { spawnSync } from 'node:child_process';
import { cp, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';

const UNITS = new URL('../systemd/', import.meta.url);

const hasAnalyze = findProgram('systemd-analyze') !== undefined;
if (!hasAnalyze)
  console.warn('LEFT OUT: systemd-analyze is not installed; `apt-get install systemd`.');

/** Exposure level from 0 to 10. systemd rates levels up to 2 as OK. */
const MAX_EXPOSURE = 1.5;

function analyze(...args: string[]) {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe.skipIf(!hasAnalyze).each([
  ['policy', false],
  ['policy', true],
  ['executor', false],
  ['executor', true],
])('the unit of the %s service, with its drop-in: %s', (name, hasDropIn) => {
  it('is valid and exposes little to the service', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'gatehouse-'));
    const unit = join(directory.path, `gatehouse-${name}.service`);
    const text = await readFile(new URL(`gatehouse-${name}.service`, UNITS), 'utf8');
    // `systemd-analyze verify` fails if the unit's program does not exist, so replace the program
    // with the Node binary that runs this test.
    await writeFile(unit, text.replace('/opt/gatehouse/node', process.execPath));
    if (hasDropIn)
      await cp(new URL(`gatehouse-${name}.service.d`, UNITS), `${unit}.d`, { recursive: true });
    expect(analyze('verify', unit)).toEqual({ status: 0, output: '' });
    const { output } = analyze('security', '--offline=true', unit);
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(output) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
  });
});
