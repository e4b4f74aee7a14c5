import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const FULL = '/dev/full';
const program = (name: string) => fileURLToPath(new URL(`support/${name}.ts`, import.meta.url));

/** `/dev/full` fails every write, as a full disk does; only Linux has it. */
it.runIf(existsSync(FULL))('a log that cannot be written stops neither the work nor the end', async () => {
  const child = spawn(process.execPath, [program('talkative')], { stdio: ['ignore', openSync(FULL, 'w'), 'pipe'] });
  const told: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text) => told.push(text));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(told.join('')).toMatch(/^The log cannot be written and ends here: ENOSPC[^\n]*\n$/);
});

it('a log whose reader is slow is complete nevertheless when the process ends', async () => {
  const child = spawn(process.execPath, [program('hurried')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const read: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text) => read.push(text));
  child.stdout.pause();
  await sleep(1_000);
  child.stdout.resume();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  const lines = read.join('').trimEnd().split('\n');
  expect(lines.map((text) => JSON.parse(text).line)).toEqual([...Array(1_000).keys()]);
});
