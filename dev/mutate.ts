/**
 * Mutation tests with Stryker: how many mutants of a package's source its own tests kill.
 *
 *   pnpm run mutate [package, folder or file:from-to ...] [--at-least 90] [--incremental]
 *     [--tests 'redact-*']   only these files of tests, which is faster
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { type MutantResult, survivor } from './mutation/survivors.ts';

const TARGETS = [
  'packages/policy-engine/src',
  'packages/http-executor/src/guard',
  'packages/http-executor/src/attempt',
  'packages/http-executor/src/redact',
  'packages/http-executor/src/response',
  'packages/http-executor/src/schema',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'at-least': { type: 'string', default: '0' },
    incremental: { type: 'boolean', default: false },
    tests: { type: 'string', default: '*' },
  },
});

// Read by vitest.config.ts, which Stryker loads in processes of its own.
process.env.MUTATION_TESTS = values.tests;

const results: MutantResult[] = [];
for (const [name, targets] of byPackage(positionals.length === 0 ? TARGETS : positionals)) {
  results.push(...(await mutate(name, targets)));
}
const mutants = results.filter(({ status }) => !/Error|Ignored/.test(status));
const folders = Map.groupBy(mutants, ({ fileName }) => relative('.', dirname(fileName)));
for (const [folder, all] of folders) {
  const killed = all.filter((mutant) => survivor(mutant) === undefined).length;
  const score = Math.floor((1000 * killed) / all.length) / 10;
  console.log(
    process.stdout.isTTY
      ? `${folder}: ${killed} of ${all.length} mutants killed, ${score} %`
      : JSON.stringify({ folder, killed, mutants: all.length, score }),
  );
  if (score < Number(values['at-least'])) process.exitCode = 1;
}
if (mutants.length === 0) process.exitCode = 1;

/** @throws Error for a target that is no file or folder of a package. */
function byPackage(targets: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const target of targets) {
    const [path = '', range] = target.split(':');
    const name = /^packages\/([^/]+)/.exec(path)?.[1];
    if (name === undefined || !existsSync(path)) {
      throw new Error(`\`${target}\` is not a folder or file under packages/`);
    }
    const folder = path === `packages/${name}` ? `${path}/src` : path;
    const glob = statSync(folder).isDirectory() ? `${folder}/**/*.ts` : folder;
    const group = groups.get(name) ?? [];
    groups.set(name, [...group, range === undefined ? glob : `${glob}:${range}`]);
  }
  return groups;
}

/** Runs in a copy of the repository, against the tests of the package alone. */
function mutate(name: string, targets: string[]): Promise<MutantResult[]> {
  return new Stryker({
    configFile: 'dev/mutation/stryker.json',
    mutate: targets,
    vitest: {
      configFile: 'dev/mutation/vitest.config.ts',
      dir: `packages/${name}/test`,
      related: false,
    },
    reporters: process.stdout.isTTY ? ['survivors', 'progress'] : ['survivors'],
    incremental: values.incremental,
    incrementalFile: `node_modules/.cache/mutation-${name}.json`,
  }).runMutationTest();
}
