import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startProcess, type TestProcess } from '@gatehouse/testing';
import { describe, it } from 'vitest';

const PROGRAM = new URL('../support/mishaps.ts', import.meta.url);
const LINES_BEFORE = 200;

/** Starts `support/mishaps.ts`, whose routes cause uncaught errors, as a separate process. */
async function startProgram(graceMs = 200): Promise<TestProcess & { readonly url: string }> {
  const program = startProcess(PROGRAM, { env: { GRACE_MS: String(graceMs) } });
  const [url] = await program.printed(/http:\/\/127\.0\.0\.1:\d+/);
  return Object.assign(program, { url });
}

const MISHAPS: [name: string, path: string, message: string][] = [
  ['an error in a timer', '/throw', 'thrown in a timer'],
  ['an unhandled rejection', '/reject', 'rejected by nobody'],
  ['an unhandled rejection without a value', '/reject-nothing', 'undefined'],
];

describe('an uncaught error ends the process', { concurrent: true }, () => {
  it.for(MISHAPS)(
    'with code 1 after logging it as fatal: %s',
    async ([, path, message], { expect }) => {
      await using program = await startProgram();
      // The reply may or may not arrive before the process ends.
      await fetch(program.url + path).catch(() => {});
      expect(await program.ended).toEqual({ code: 1, signal: null });
      expect(program.lines().filter(({ msg }) => msg === 'written just before')).toHaveLength(
        LINES_BEFORE,
      );
      const fatal = program.lines().filter(({ level }) => level === 'fatal');
      expect(fatal).toMatchObject([
        { msg: 'uncaught error', err: { message: expect.stringContaining(message) } },
      ]);
    },
  );

  it('after the grace period even if a request hangs', async ({ expect }) => {
    await using program = await startProgram();
    const hanging = fetch(`${program.url}/hang`).catch(() => 'cut off');
    await fetch(`${program.url}/throw`).catch(() => {});
    expect((await program.ended).code).toBe(1);
    expect(await hanging).toBe('cut off');
  });
});

const LONG_GRACE_MS = 600_000;

describe('a signal', { concurrent: true }, () => {
  it.for([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGINT'],
  ] as const)(
    '%s waits for a hanging request until a second one, %s, exits immediately',
    async ([first, second], { expect }) => {
      await using program = await startProgram(LONG_GRACE_MS);
      const hanging = fetch(`${program.url}/hang`).catch(() => 'cut off');
      await fetch(`${program.url}/fine`);
      program.signal(first);
      await expect.poll(() => fetch(program.url).catch(() => 'refused')).toBe('refused');
      program.signal(second);
      expect(await program.ended).toEqual({ code: 1, signal: null });
      expect(program.lines()).toContainEqual(
        expect.objectContaining({ msg: `second ${second}, exiting` }),
      );
      expect(await hanging).toBe('cut off');
    },
  );

  it.for([
    ['no one reads', 0],
    ['a reader takes only 200 KiB per second of', 2 * 1024],
  ] as const)('exits 0 in time even if %s the log', async ([, bytes], { expect }) => {
    const env = { ...process.env, GRACE_MS: '200' };
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const program = spawn(process.execPath, [fileURLToPath(PROGRAM)], { env, stdio: [...stdio] });
    const [chunk] = await once(program.stdout, 'data');
    program.stdout.pause();
    const reading = bytes > 0 && setInterval(() => program.stdout.read(bytes), 10);
    const [url] = /http:[^"]+/.exec(String(chunk)) ?? [];
    // A pipe holds 64 KiB, and this program logs 20 KiB for each request.
    for (let count = 0; count < 300; count++) await fetch(`${url}/fine`);
    const began = performance.now();
    program.kill('SIGTERM');
    expect(await once(program, 'exit')).toEqual([0, null]);
    expect(performance.now() - began).toBeLessThan(10_000);
    if (reading) clearInterval(reading);
  });

  it('exits 0 without losing the last log lines', async ({ expect }) => {
    await using program = await startProgram();
    const { status } = await fetch(`${program.url}/fine`);
    program.signal('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(status).toBe(200);
    expect(program.lines().filter(({ msg }) => msg === 'written just before')).toHaveLength(
      LINES_BEFORE,
    );
    expect(program.lines()).toContainEqual(expect.objectContaining({ path: '/fine', status: 200 }));
    expect(program.lines()).toContainEqual(
      expect.objectContaining({ msg: 'shutting down', signal: 'SIGTERM' }),
    );
  });
});
