import { closeSync, openSync } from 'node:fs';
import { Threads } from '../../../src/threads/threads.ts';

// Runs a task while this process can open no more files, and then again. Prints both results.
const file = new URL('./worker.ts', import.meta.url);
const threads = new Threads({ heapMb: 16, file });
const limits = { caller: 'a', isUrgent: false, cpuMs: 60_000, maxWaitMs: 60_000 };
const echo = async () => console.log(JSON.stringify(await threads.run('echo', 'echo', limits)));

const opened: number[] = [];
try {
  for (;;) opened.push(openSync('/dev/null', 'r'));
} catch {
  await echo();
}
for (const each of opened) closeSync(each);
await echo();
await threads.close();
