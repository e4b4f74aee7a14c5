import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const FULL = '/dev/full';
const program = (name: string) => fileURLToPath(new URL(`support/${name}.ts`, import.meta.url));

if (!existsSync(FULL))
  console.warn('LEFT OUT: a log that cannot be written; there is no /dev/full.');

/** `/dev/full` fails every write, as a full disk does; only Linux has it. */
it.runIf(existsSync(FULL))(
  'a log that cannot be written stops neither the work nor the end',
  async () => {
    const child = spawn(process.execPath, [program('talkative')], {
      stdio: ['ignore', openSync(FULL, 'w'), 'pipe'],
    });
    const told: string[] = [];
    child.stderr?.setEncoding('utf8').on('data', (text) => told.push(text));
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    expect(told.join('')).toMatch(/^The log cannot be written and ends here: ENOSPC[^\n]*\n$/);
  },
);

it.each([
  ['while that waits for its reader', 'waiting', 1_000],
  ['after it was told to write what there is', 'flushed', 1_000],
  ['because nothing is left to do', 'byItself', 1_000],
  ['right after its first lines', 'atOnce', 10],
])('a log whose reader is slow is complete when the process ends %s', async (_name, how, count) => {
  // A pipe of the shell, since Node gives its children sockets, which hold more.
  const script = '"$0" "$1" "$2" "$3" | (sleep 1; cat)';
  const args = ['-c', script, process.execPath, program('hurried'), how, String(count)];
  const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const read: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text) => read.push(text));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  const lines = read.join('').trimEnd().split('\n');
  expect(lines.map((text) => JSON.parse(text).line)).toEqual([...Array(count).keys()]);
});
