import { execFile, execFileSync } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startProcess } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';

const run = promisify(execFile);

/** Starts a server on a free port. Disposing of it frees the port again. */
async function occupied() {
  const server = createServer((_request, response) => response.end('{"status":"ok"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

async function start(settings: Record<string, string> = {}, ...args: string[]) {
  const [policy, executor] = [await freePort(), await freePort()];
  const bind = {
    POLICY_BIND_ADDR: `127.0.0.1:${policy}`,
    HTTP_EXECUTOR_BIND_ADDR: `127.0.0.1:${executor}`,
  };
  // Prevents a 503 when tests share a busy machine.
  const env = { LOG_LEVEL: 'info', MAX_EVENT_LOOP_DELAY_MS: '600000', ...bind, ...settings };
  const program = new URL('../start.ts', import.meta.url);
  const folder = await mkdtempDisposable(join(tmpdir(), 'gatehouse-'));
  const started = startProcess(program, { args, env, detached: true, cwd: folder.path });
  const urls = [`http://127.0.0.1:${policy}`, `http://127.0.0.1:${executor}`] as const;
  const dispose = async () => {
    await started[Symbol.asyncDispose]();
    await folder.remove();
  };
  return { started, urls, folder: folder.path, [Symbol.asyncDispose]: dispose };
}

/** Waits until both services run, and returns their process ids. */
function servicesOf(pid: number): Promise<[number, number]> {
  return vi.waitFor(
    () => {
      const children = execFileSync('pgrep', ['-P', `${pid}`], { encoding: 'utf8' });
      const [policy, executor] = children.trim().split('\n').map(Number);
      if (policy === undefined || executor === undefined) throw new Error('not both run yet');
      return [policy, executor];
    },
    { timeout: 60_000 },
  );
}

const READY = /^Ready\.$/m;
const PROMPT = /^Press Ctrl-C to stop/m;

const refusesConnections = (url: string) => expect(fetch(url)).rejects.toThrow('fetch failed');

describe('pnpm start', () => {
  it('runs both services and prints commands that work, until SIGTERM', async () => {
    await using one = await start();
    await one.started.printed(PROMPT);
    for (const url of one.urls) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await repliesOf(one.started.output)).toMatchObject([
      { decision: 'allow' },
      { methods: expect.arrayContaining(['GET']) },
    ]);
    expect(await one.started.stop()).toEqual({ code: 0, signal: null });
    expect(one.started.output.match(/shutting down/g)).toHaveLength(2);
    for (const url of one.urls) await refusesConnections(url);
  });

  it.each([
    ['start', []],
    ['dev', ['--watch']],
  ])('%s also handles Ctrl-C, which signals its whole process group', async (_name, args) => {
    await using one = await start({}, ...args);
    await one.started.printed(READY);
    process.kill(-one.started.pid, 'SIGINT');
    expect(await one.started.ended).toEqual({ code: 0, signal: null });
    expect(one.started.output.match(/"signal":"SIGTERM","msg":"shutting down"/g)).toHaveLength(2);
    expect(one.started.output.match(/shutting down/g)).toHaveLength(2);
  });

  it('remembers the outcome of an idempotency key after a restart', async () => {
    await using first = await start();
    await first.started.printed(READY);
    const [policy, executor] = first.urls;
    const action = { method: 'GET', url: `${policy}/healthz` };
    const key = { 'idempotency-key': 'health-1' };
    expect((await execute(executor, action, key)).headers.has('idempotent-replayed')).toBe(false);
    await first.started.stop();

    const store = `sqlite:${first.folder}/.gatehouse/executor.db`;
    await using second = await start({ HTTP_EXECUTOR_STORE: store });
    await second.started.printed(READY);
    const replay = await execute(second.urls[1], action, key);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(await replay.json()).toMatchObject({ outcome: 'success', body: { status: 'ok' } });
  });

  it('dev runs threads whose messages about imports are not taken for results', async () => {
    await using other = await occupied();
    await using folder = await mkdtempDisposable(join(tmpdir(), 'gatehouse-'));
    const executor = `127.0.0.1:${await freePort()}`;
    const env = {
      // `node --watch` sets this variable for the program that it runs.
      WATCH_REPORT_DEPENDENCIES: '1',
      HTTP_EXECUTOR_BIND_ADDR: executor,
      HTTP_EXECUTOR_STORE: `sqlite:${folder.path}/executor.db`,
      MAX_EVENT_LOOP_DELAY_MS: '600000',
    };
    const main = new URL('../../services/executor/src/main.ts', import.meta.url);
    await using service = startProcess(main, { env });
    await service.printed(/listening at/);
    const response_schema = { type: 'object', properties: { status: { pattern: '^(o+)+k$' } } };
    const action = { method: 'GET', url: `http://127.0.0.1:${other.port}`, response_schema };
    const reply = await execute(`http://${executor}`, action, { 'idempotency-key': 'a' });
    expect(await reply.json()).toMatchObject({ outcome: 'success' });
  });

  it('runs one service in its folder', async () => {
    await using one = await start({}, 'policy');
    await one.started.printed(PROMPT);
    expect(await repliesOf(one.started.output)).toMatchObject([{ decision: 'allow' }]);
    await refusesConnections(one.urls[1]);
    expect(await one.started.stop()).toEqual({ code: 0, signal: null });
  });
});

function execute(executor: string, action: object, headers: Record<string, string>) {
  return fetch(`${executor}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(action),
  });
}

async function repliesOf(output: string) {
  const commands = output.match(/^ {2}curl (?:.*\\\n)*.*$/gm) ?? [];
  const replies = commands.map((command) => run('sh', ['-c', command]));
  return (await Promise.all(replies)).map(({ stdout }) => JSON.parse(stdout));
}

describe('pnpm start, on a failure,', () => {
  it('says which service ended, stops the other and exits 1', async () => {
    await using one = await start();
    await one.started.printed(READY);
    const [, executor] = await servicesOf(one.started.pid);
    process.kill(executor, 'SIGKILL');
    expect(await one.started.ended).toEqual({ code: 1, signal: null });
    expect(one.started.output).toMatch(
      /The executor service ended by SIGKILL; stopping the other service\./,
    );
    await refusesConnections(one.urls[0]);
  });

  it('kills a service that hangs, and says so', async () => {
    await using one = await start({ SHUTDOWN_GRACE_MS: '1' });
    await one.started.printed(READY);
    const [policy] = await servicesOf(one.started.pid);
    process.kill(policy, 'SIGSTOP');
    expect(await one.started.stop()).toEqual({ code: 1, signal: null });
    expect(one.started.stderr).toBe('The policy service ended by SIGKILL.\n');
  });

  it('lets the services use the time of SHUTDOWN_DELAY_MS', async () => {
    await using one = await start({ SHUTDOWN_DELAY_MS: '5500', SHUTDOWN_GRACE_MS: '1' });
    await one.started.printed(READY);
    expect(await one.started.stop()).toEqual({ code: 0, signal: null });
  });

  it('exits 0 if it is stopped before the services are ready', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'gatehouse-'));
    // A read from this pipe never ends, because no process writes to the pipe.
    const pipe = join(directory.path, 'tokens');
    execFileSync('mkfifo', [pipe]);
    await using one = await start({ POLICY_API_TOKENS_FILE: pipe });
    await servicesOf(one.started.pid);
    expect(await one.started.stop()).toEqual({ code: 0, signal: null });
    expect(one.started.stdout).not.toMatch(READY);
  });

  it('leaves no service behind if it is killed', async () => {
    await using one = await start();
    await one.started.printed(READY);
    one.started.signal('SIGKILL');
    // The output of `pnpm start` ends only after both services end, because the services write to
    // the same output.
    expect(await one.started.ended).toEqual({ code: null, signal: 'SIGKILL' });
    for (const url of one.urls) await refusesConnections(url);
  });

  it('shows the message of a service that cannot start, stops the other and exits 1', async () => {
    await using one = await start({ POLICY_BIND_ADDR: 'nonsense' });
    expect(await one.started.ended).toEqual({ code: 1, signal: null });
    expect(one.started.output).toMatch(/POLICY_BIND_ADDR="nonsense": must be host:port/);
    expect(one.started.output).toMatch(
      /The policy service ended with code 1; stopping the other service\./,
    );
    await refusesConnections(one.urls[1]);
  });

  it('is not fooled by another server that answers on the port', async () => {
    await using other = await occupied();
    await using one = await start({ HTTP_EXECUTOR_BIND_ADDR: `127.0.0.1:${other.port}` });
    expect(await one.started.ended).toEqual({ code: 1, signal: null });
    expect(one.started.output).toMatch(/executor cannot listen: port \d+ on 127.0.0.1 is in use/);
    expect(one.started.output).not.toMatch(READY);
  });
});
