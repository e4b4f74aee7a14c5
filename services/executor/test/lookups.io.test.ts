import { readdirSync, readFileSync } from 'node:fs';
import type { Resolve } from '@gatehouse/http-executor';
import { freePort, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { startProcess } from './support/process.ts';

type Answer = Parameters<Resolve>[1];

/**
 * A resolver with so many threads, as the system's has: what all of them are busy with
 * holds up the rest.
 */
function threadedResolver(threads: number) {
  const asked: string[] = [];
  const queue: [name: string, answered: Answer][] = [];
  const hanging: Answer[] = [];
  const next = () => {
    while (hanging.length < threads) {
      const [name, answered] = queue.shift() ?? [];
      if (name === undefined || answered === undefined) return;
      if (name.includes('slow')) hanging.push(answered);
      else queueMicrotask(() => answered(null, [{ address: '127.0.0.1', family: 4 }]));
    }
  };
  const resolve: Resolve = (name, answered) => {
    asked.push(name);
    queue.push([name, answered]);
    next();
  };
  /** Those that hang fail, as they do in the end. */
  const release = () => {
    for (const answered of hanging.splice(0))
      answered(Object.assign(new Error('gone'), { code: 'EAI_AGAIN' }), []);
    next();
  };
  return { resolve, asked, release };
}

const start = (resolve: Resolve, hosts: string, clock = fakeClock()) =>
  startExecutor({
    env: {
      HTTP_EXECUTOR_ALLOWED_HOSTS: hosts,
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
    clock,
    connect: { resolve, lookupLimits: { total: 4, perEntry: 2, perName: 2 } },
  });

describe('names that do not resolve', () => {
  it('hold up none of the others', async () => {
    const { resolve, release } = threadedResolver(4);
    await using upstream = await startUpstream();
    await using executor = await start(resolve, '*.slow.test,api.test');
    const hung = Array.from({ length: 20 }, (_, number) =>
      executor.failure({ method: 'POST', url: `http://n${number}.slow.test/` }),
    );
    const { body } = await executor.success({
      method: 'POST',
      url: `http://api.test:${upstream.port}/`,
    });
    expect(body).toEqual({});
    // Each round lets two more fail.
    const rounds = setInterval(release, 5);
    for (const { error, message } of await Promise.all(hung)) {
      expect({ error, message }).toEqual({
        error: 'ConnectFailure',
        message: textWith('EAI_AGAIN', 'Nothing was sent.'),
      });
    }
    clearInterval(rounds);
  });

  it('make the others wait no longer than an attempt, which then was never asked for', async () => {
    const { resolve, asked, release } = threadedResolver(4);
    await using upstream = await startUpstream();
    const hosts = 'a.slow.test,b.slow.test,c.slow.test,d.slow.test,api.test';
    const clock = fakeClock();
    await using executor = await start(resolve, hosts, clock);
    const hung = ['a', 'b', 'c', 'd'].map((name) =>
      executor.failure({ method: 'POST', url: `http://${name}.slow.test/` }),
    );
    await expect.poll(() => asked).toHaveLength(4);
    const held = executor.failure({ method: 'POST', url: `http://api.test:${upstream.port}/` });
    await executor.arrived(5);
    clock.pass(15_000);
    expect(await held).toMatchObject({
      error: 'Timeout',
      message: `\`api.test:${upstream.port}\` cannot be used: its name could not be resolved within 15000 ms. Nothing was sent.`,
      attempts: 1,
    });
    await Promise.all(hung);
    release();
    expect(asked).not.toContain('api.test');
    await executor.success({ method: 'POST', url: `http://api.test:${upstream.port}/` });
    expect(upstream.requests).toHaveLength(1);
  });

  it('are asked for once by many executions, each with a deadline of its own', async () => {
    const { resolve, asked, release } = threadedResolver(4);
    const clock = fakeClock();
    await using executor = await start(resolve, 'slow.test', clock);
    const many = Array.from({ length: 20 }, () =>
      executor.failure({ method: 'POST', url: 'http://slow.test/' }),
    );
    await executor.arrived(20);
    clock.pass(15_000);
    for (const { error } of await Promise.all(many)) expect(error).toBe('Timeout');
    expect(asked.length).toBeLessThanOrEqual(2);
    release();
  });
});

/** How many threads the process has for what blocks, as far as the system tells. */
function libuvThreads(pid = 0): number | 'unknown' {
  if (process.platform !== 'linux') return 'unknown';
  const tasks = readdirSync(`/proc/${pid}/task`).map((task) =>
    readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8'),
  );
  return tasks.filter((name) => name.startsWith('libuv-worker')).length;
}

describe('the process', () => {
  it('has twice as many threads as there may be lookups, of which libuv lets them have half', async () => {
    await using service = await startProcess();
    await service.failure({ method: 'POST', url: `http://localhost:${await freePort()}/` });
    expect([32, 'unknown']).toContain(libuvThreads(service.pid));
  });
});
