import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTextFile } from '../src/index.ts';

it('reads a text file up to a limit, and refuses a larger file before it is read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-text-'));
  const path = join(folder, 'file');
  writeFileSync(path, 'text');
  expect(readTextFile(path, 4)).toBe('text');
  for (const bytes of [5, 3 * 1024 ** 3]) {
    truncateSync(path, bytes);
    expect(() => readTextFile(path, 4)).toThrow(
      `is larger than the limit of ${bytes === 5 ? 4 : 4 * 1024 ** 2} bytes`,
    );
  }
  rmSync(folder, { recursive: true });
});
