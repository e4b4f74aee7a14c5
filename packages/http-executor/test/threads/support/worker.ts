import { parentPort } from 'node:worker_threads';

/** Tasks that end in all ways in which a task can end. */
const TASKS: Readonly<Record<string, (task: unknown) => unknown>> = {
  echo: (task) => task,
  fail: () => {
    throw new TypeError('a mistake of our own');
  },
  fill: () => {
    for (const kept: number[][] = []; ; ) kept.push(new Array(100_000).fill(0.5));
  },
  spin: () => {
    for (;;);
  },
  work: (ms) => {
    const before = process.threadCpuUsage();
    for (let spent = 0; spent < Number(ms) * 1_000; ) {
      const { user, system } = process.threadCpuUsage(before);
      spent = user + system;
    }
  },
  sleep: (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms)),
};

parentPort?.on('message', ({ name, task }) => parentPort?.postMessage(TASKS[name]?.(task)));
