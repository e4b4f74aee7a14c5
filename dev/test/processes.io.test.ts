import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Processes } from '../processes.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

function start(behaviour: string, graceMs = 5_000) {
  const processes = new Processes({ graceMs });
  const spec = {
    name: 'child',
    main: pathOf('./support/child.ts'),
    args: [behaviour],
    env: process.env,
  };
  const child = processes.start({ ...spec, output: 'capture' });
  return { processes, child, spec, [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose]() };
}

describe('a managed process', () => {
  it('gives what it prints', async () => {
    await using one = start('polite');
    const [, pid] = await one.child.printed(/ready (\d+)/, 10_000);
    expect(Number(pid)).toBeGreaterThan(1);
  });

  it('that ends before it is ready is an error with its output', async () => {
    await using one = start('failing');
    await expect(one.child.printed(/ready/, 10_000)).rejects.toThrow(
      /^child ended with code 3 before it was ready\.\nno such thing/,
    );
  });

  it('that does not get ready is an error', async () => {
    await using one = start('polite');
    await expect(one.child.printed(/never printed/, 300)).rejects.toThrow(
      /did not get ready within 300 ms/,
    );
  });

  it('gets one SIGTERM, however often it is stopped', async () => {
    await using one = start('polite');
    await one.child.printed(/ready/, 10_000);
    const stopped = one.processes.stop();
    await one.child.printed(/told to stop/, 10_000);
    expect(await one.child.stop(5_000)).toEqual({ code: 0, signal: null });
    await stopped;
    expect(one.child.output.match(/told to stop/g)).toHaveLength(1);
  });

  it('that ignores the SIGTERM is killed after the grace, and has not ended well', async () => {
    await using one = start('stubborn', 300);
    await one.child.printed(/ready/, 10_000);
    const [end] = await one.processes.stop();
    expect(end?.ending).toEqual({ code: null, signal: 'SIGKILL' });
    expect(end && one.child.endedWell(end.ending)).toBe(false);
  });

  it('that is stopped before it could handle it has ended well', async () => {
    await using one = start('polite');
    const [end] = await one.processes.stop();
    expect(end?.ending).toEqual({ code: null, signal: 'SIGTERM' });
    expect(end && one.child.endedWell(end.ending)).toBe(true);
  });
});

describe('processes', () => {
  it('start nothing once stopping has begun', async () => {
    const one = start('polite');
    const stopping = one.processes.stop();
    expect(() => one.processes.start({ ...one.spec, output: 'capture' })).toThrow(/being stopped/);
    await stopping;
  });

  it('tell which one ends first', async () => {
    await using one = start('polite');
    const failing = one.processes.start({ ...one.spec, args: ['failing'], output: 'capture' });
    expect(await one.processes.firstEnd()).toEqual({
      process: failing,
      ending: { code: 3, signal: null },
    });
  });

  it.each(['exit', 'error', 'kill'])(
    'do not outlive the program that ends by %s',
    async (ending) => {
      const parent = spawn(process.execPath, [pathOf('./support/parent.ts'), ending], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const exited = once(parent, 'exit');
      await once(parent.stdout, 'data');
      parent.stdin.write('now');
      // The child shares this pipe, so it ends when both have.
      await text(parent.stdout);
      const [code, signal] = await exited;
      expect(code ?? signal).toBe({ exit: 0, error: 1, kill: 'SIGKILL' }[ending]);
    },
  );
});
