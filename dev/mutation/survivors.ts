import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Stryker } from '@stryker-mutator/core';
import { ACCEPTED } from './accepted.ts';

export type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

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
  const [, , accepted] =
    ACCEPTED[file]?.find(([from, to]) => from === original && to === mutant) ?? [];
  const untested = status === 'NoCoverage' ? 'no test runs it' : 'no test fails';
  return { place: `${file}:${start.line}`, original, mutant, why: accepted ?? untested };
}

function shorten(source: string): string {
  const line = source.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}
