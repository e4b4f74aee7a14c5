import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Stryker } from '@stryker-mutator/core';

export type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** Survivors that no test can kill, or need not: the place, the mutant, and why. */
const ACCEPTED: readonly (Omit<Survivor, 'place'> & { readonly file: string })[] = [
  {
    file: 'packages/policy-engine/src/money.ts',
    original: 'exact !== undefined',
    mutant: 'false',
    why: 'an upper-case code is found below as well: slower, no other answer',
  },
];

export interface Survivor {
  readonly place: string;
  readonly original: string;
  readonly mutant: string;
  readonly why: string;
}

/** @returns the mutant with the source it replaces, or nothing where a test killed it. */
export function survivor(result: MutantResult): Survivor | undefined {
  const { fileName, location, replacement = '', status } = result;
  if (status !== 'Survived' && status !== 'NoCoverage') return undefined;
  const { start, end } = location;
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  lines.push((lines.pop() ?? '').slice(0, end.column - 1));
  lines[0] = (lines[0] ?? '').slice(start.column - 1);
  const [original, mutant] = [lines.join('\n'), replacement].map(shorten) as [string, string];
  const file = relative('.', fileName);
  const accepted = ACCEPTED.find(
    (one) => one.file === file && one.original === original && one.mutant === mutant,
  );
  const untested = status === 'NoCoverage' ? 'no test runs it' : 'no test fails';
  return { place: `${file}:${start.line}`, original, mutant, why: accepted?.why ?? untested };
}

function shorten(source: string): string {
  const line = source.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}
