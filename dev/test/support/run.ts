import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Run {
  readonly cwd: string;
  /** Time limit. Default: one minute. npm needs more if the registry does not answer. */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const MAX_OUTPUT = 16 * 1024 * 1024;

/** Runs a program and returns its output. Rejects with the output if the program fails. */
export async function run(
  { cwd, timeoutMs = 60_000, env }: Run,
  program: string,
  ...args: readonly string[]
): Promise<string> {
  const options = { cwd, timeout: timeoutMs, maxBuffer: MAX_OUTPUT };
  return await promisify(execFile)(program, args, {
    ...options,
    env: { ...process.env, ...env },
  }).then(
    ({ stdout }) => stdout,
    ({ message, stdout, stderr }) => {
      throw new Error(`${message}\n${stdout}\n${stderr}`);
    },
  );
}
