import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('support/mishaps.ts', import.meta.url));
const LINES_BEFORE = 200;

type Line = Record<string, unknown>;

interface Program extends AsyncDisposable {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  /** How it ended, and all that it logged. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; lines: Line[] }>;
}

/** The program of mishaps as a process of its own. */
async function startProgram(graceMs = 200): Promise<Program> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { GRACE_MS: String(graceMs) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const lines = () =>
    output.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, lines: lines() }));
  let url: string | undefined;
  while (url === undefined) {
    await once(child.stdout, 'data');
    [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
  }
  return {
    url,
    signal: (name) => child.kill(name),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const MISHAPS: [name: string, path: string, message: string][] = [
  ['an error in a timer', '/throw', 'thrown in a timer'],
  ['nothing at all thrown in a timer', '/throw-nothing', 'undefined'],
  ['a rejection that nobody handles', '/reject', 'rejected by nobody'],
  ['a rejection with nothing that nobody handles', '/reject-nothing', 'undefined'],
];

describe('an uncaught error ends the process', { concurrent: true }, () => {
  it.for(MISHAPS)(
    '%s: logged as fatal after all that came before, code 1',
    async ([, path, message], { expect }) => {
      await using program = await startProgram();
      // The answer may or may not get out before the end.
      await fetch(program.url + path).catch(() => {});
      const { code, signal, lines } = await program.ended;
      expect({ code, signal }).toEqual({ code: 1, signal: null });
      expect(lines.filter(({ msg }) => msg === 'written just before')).toHaveLength(LINES_BEFORE);
      const fatal = lines.filter(({ level }) => level === 'fatal');
      expect(fatal).toMatchObject([
        { msg: 'uncaught error', err: { message: expect.stringContaining(message) } },
      ]);
    },
  );

  it('even while a request hangs, after the grace', async ({ expect }) => {
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
    '%s while a request hangs, then %s: the second one exits at once',
    async ([first, second], { expect }) => {
      await using program = await startProgram(LONG_GRACE_MS);
      const hanging = fetch(`${program.url}/hang`).catch(() => 'cut off');
      await fetch(`${program.url}/fine`);
      program.signal(first);
      await expect
        .poll(() => fetch(program.url).catch(() => 'refused'), { timeout: 10_000 })
        .toBe('refused');
      program.signal(second);
      const { code, signal, lines } = await program.ended;
      expect({ code, signal }).toEqual({ code: 1, signal: null });
      expect(lines).toContainEqual(expect.objectContaining({ msg: `second ${second}, exiting` }));
      expect(await hanging).toBe('cut off');
    },
  );

  it('loses no line that was written just before, and ends the process with 0', async ({
    expect,
  }) => {
    await using program = await startProgram();
    const { status } = await fetch(`${program.url}/fine`);
    program.signal('SIGTERM');
    const { code, lines } = await program.ended;
    expect({ status, code }).toEqual({ status: 200, code: 0 });
    expect(lines.filter(({ msg }) => msg === 'written just before')).toHaveLength(LINES_BEFORE);
    expect(lines).toContainEqual(expect.objectContaining({ path: '/fine', status: 200 }));
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'shutting down', signal: 'SIGTERM' }),
    );
  });
});
