import { type MutantResult, survivor } from './survivors.ts';

/** Says each survivor as it is found: lines on a terminal, JSON lines in a pipe. */
class SurvivorReporter {
  onMutantTested(result: MutantResult): void {
    const found = survivor(result);
    if (found === undefined) return;
    const { place, original, mutant, why } = found;
    const line = `${place}  ${original} → ${mutant}  (${why})`;
    console.log(process.stdout.isTTY ? line : JSON.stringify(found));
  }
}

export const strykerPlugins = [
  { kind: 'Reporter', name: 'survivors', injectableClass: SurvivorReporter },
];
