import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export const mainOf = (service: string, root = ROOT) =>
  join(root, 'services', service, 'dist/main.mjs');

export function buildServices(root = ROOT): void {
  const rolldown = join(root, 'node_modules/.bin/rolldown');
  for (const service of ['policy', 'executor']) {
    const cwd = join(root, 'services', service);
    execFileSync(rolldown, ['-c', '../../rolldown.config.ts'], { cwd, stdio: 'pipe' });
  }
}

/** Vitest calls `setup` once before all tests. */
export const setup = () => buildServices();

if (import.meta.main) buildServices();
