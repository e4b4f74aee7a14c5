import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const FULL = '/dev/full';
const PROGRAM = fileURLToPath(new URL('support/talkative.ts', import.meta.url));

/** `/dev/full` fails every write, as a full disk does; only Linux has it. */
it.runIf(existsSync(FULL))('a log that cannot be written stops neither the work nor the end', async () => {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', openSync(FULL, 'w'), 'pipe'] });
  const told: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text) => told.push(text));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(told.join('')).toMatch(/^The log cannot be written and ends here: ENOSPC[^\n]*\n$/);
});
