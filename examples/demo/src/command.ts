import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const COMMAND = fileURLToPath(import.meta.resolve('@gatehouse/cli/src/main.ts'));

/** Token of the person who approves, which the planner does not have. */
export const APPROVER_TOKEN = 'only-alice-knows-this';

/** Runs the command `gatehouse` as the approver, and returns what it prints to a pipe. */
export async function gatehouse(...args: string[]): Promise<Record<string, string>> {
  const env = { ...process.env, GATEHOUSE_APPROVER_TOKEN: APPROVER_TOKEN };
  const command = [COMMAND, ...args, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env });
  return JSON.parse(stdout);
}
