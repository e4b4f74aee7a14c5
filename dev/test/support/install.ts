import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Tarball } from '../../release.ts';
import { run } from './run.ts';

export const STEP_MS = 120_000;

export const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

/** Runs a program of a package from the registry or from npm's cache. */
export const runOf = (cwd: string, name: string, ...command: string[]): Promise<string> =>
  run({ cwd, timeoutMs: STEP_MS }, 'npx', '-y', ...QUIET, `--package=${name}`, '--', ...command);

/** Project whose packages are installed and run with one major version of Node. */
export class Project {
  readonly folder: string;
  readonly major: number;
  /** Version of the AI SDK. */
  readonly ai: string;
  /** Packages that need a newer Node than version `major`, according to npm. */
  tooNew: readonly string[] = [];
  #path = '';

  constructor(folder: string, major: number, ai = '7') {
    this.folder = folder;
    this.major = major;
    this.ai = ai;
  }

  /** Installs tarballs, the AI SDK and type declarations in the folder. */
  async install(tarballs: readonly Tarball[]): Promise<void> {
    mkdirSync(this.folder);
    this.write('package.json', '{ "private": true, "type": "module" }');
    const ask = ['node', '-p', 'process.execPath'];
    const node = process.version.startsWith(`v${this.major}.`)
      ? process.execPath
      : (await runOf(this.folder, `node@${this.major}`, ...ask)).trim();
    this.#path = [dirname(node), process.env.PATH].join(delimiter);
    // The types of `ai` import `@types/json-schema`, but `ai` does not depend on that package.
    const types = ['@types/node@26', '@types/json-schema'];
    // npm does not install optional peers.
    const wanted = [`ai@${this.ai}`, ...types, ...tarballs.map(({ tarball }) => tarball)];
    const command = ['npm install', ...QUIET, '--loglevel=warn', ...wanted, '2>&1'].join(' ');
    const said = await this.run({}, 'sh', '-c', command);
    const names = [...said.matchAll(/EBADENGINE +package: '(.+)@/g)].map(([, name = '']) => name);
    this.tooNew = names.sort();
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Runs a program with the project's `node` on its PATH. */
  run(env: Readonly<Record<string, string>>, program: string, ...args: string[]): Promise<string> {
    const where = { cwd: this.folder, timeoutMs: STEP_MS, env: this.environment(env) };
    return run(where, program, ...args);
  }

  environment(env: Readonly<Record<string, string>>): Record<string, string> {
    return { ...env, PATH: this.#path };
  }
}
