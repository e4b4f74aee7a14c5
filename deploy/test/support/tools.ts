import { spawnSync } from 'node:child_process';

/**
 * Whether a program of Prometheus is installed; tests that need it say so where it is
 * not.
 */
export function installed(program: 'promtool' | 'prometheus'): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

/** Runs promtool; what it prints, and whether it is content. */
export function promtool(
  args: readonly string[],
  input = '',
): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}
