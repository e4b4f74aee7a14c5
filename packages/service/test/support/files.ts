import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * Returns a function that writes a new file and returns its path. The files are removed after the
 * last test.
 */
export function scratchFiles(): (content: string) => Promise<string> {
  const directory = mkdtemp(join(tmpdir(), 'gatehouse-'));
  let count = 0;
  afterAll(async () => rm(await directory, { recursive: true }));
  return async (content) => {
    count += 1;
    const name = `file-${count}`;
    const path = join(await directory, name);
    await writeFile(path, content);
    return path;
  };
}
