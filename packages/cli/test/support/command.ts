import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { program } from '../../src/program.ts';

/** Creates a folder for the files of a test file, and removes it after its tests. */
export function filesOfTests() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  const fileOf = (content: string | Uint8Array): string => {
    files += 1;
    const path = join(folder, `file-${files}`);
    writeFileSync(path, content);
    return path;
  };
  return { folder, fileOf };
}

export async function run(...args: readonly string[]) {
  let [out, err] = ['', ''];
  const code = await program(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
