import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ACCEPTED } from '../mutation/accepted.ts';

const oneLine = (source: string) => source.replace(/\s+/g, ' ');

it('every mutant that may survive is of source that is still there', () => {
  for (const [file, mutants] of Object.entries(ACCEPTED)) {
    const source = oneLine(readFileSync(file, 'utf8'));
    for (const [original] of mutants)
      expect(source, file).toContain(oneLine(original).replace(/\.\.\.$/, ''));
  }
});
