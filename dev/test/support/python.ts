import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const INSTALL_MS = 150_000;

/**
 * Installs a package from PyPI on first use and returns the folder of its programs. If Python or
 * PyPI is missing, warns and returns undefined.
 */
export const pythonProgramsIfAny = (requirement: string): Promise<string | undefined> =>
  pythonPrograms(requirement).catch((error: Error) => {
    console.warn(`LEFT OUT: ${requirement} cannot be installed: ${error.message}`);
    return undefined;
  });

async function pythonPrograms(requirement: string): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/python', requirement);
  const done = join(folder, 'installed');
  const programs = join(folder, 'bin');
  if (existsSync(done)) return programs;
  await rm(folder, { recursive: true, force: true });
  await run({ cwd: ROOT }, 'python3', '-m', 'venv', folder);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await run({ cwd: ROOT, timeoutMs: INSTALL_MS }, join(programs, 'python'), ...pip, requirement);
  await writeFile(done, '');
  return programs;
}
