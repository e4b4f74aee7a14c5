import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { watchedFile } from '../src/index.ts';

/** Watches a file that contains `old`, and records what each call of `changed` reads. */
function watch() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-watched-'));
  const path = join(folder, 'file');
  writeFileSync(path, 'old');
  const read: string[] = [];
  const file = watchedFile(path, () => read.push(readFileSync(path, 'utf8')));
  return {
    path,
    read,
    file,
    [Symbol.dispose]: () => {
      file.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

describe.concurrent('a watched file', () => {
  it('is read within a second after a rename', async () => {
    using watched = watch();
    await expect.poll(() => watched.read, { timeout: 8_000 }).toEqual(['old']);
    writeFileSync(`${watched.path}.next`, 'new');
    await delay(50);
    renameSync(`${watched.path}.next`, watched.path);
    await expect.poll(() => watched.read, { timeout: 2_000 }).toEqual(['old', 'new']);
  });

  it('that is written in place is read only once it is complete', async () => {
    using watched = watch();
    writeFileSync(watched.path, 'ha');
    chmodSync(watched.path, 0o600);
    watched.file.readAgain();
    await delay(1_500);
    watched.file.readSoon();
    appendFileSync(watched.path, 'lf');
    await expect.poll(() => watched.read, { timeout: 10_000 }).toEqual(['half']);
  });

  it('is not read while a write is newer than the last poll', async () => {
    using watched = watch();
    await expect.poll(() => watched.read, { timeout: 8_000 }).toEqual(['old']);
    for (let round = 0; round < 4; round++) {
      watched.file.readSoon();
      // With some of these delays, the call after 300 ms comes before the poll that sees the write.
      await delay(200 + 30 * round);
      writeFileSync(watched.path, 'ha');
      await delay(600);
      appendFileSync(watched.path, 'lf');
    }
    await delay(6_000);
    expect(watched.read.filter((text) => text === 'ha')).toEqual([]);
    expect(watched.read.at(-1)).toBe('half');
  });
});
