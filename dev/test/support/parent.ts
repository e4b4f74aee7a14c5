// A program for tests that starts a child process and, on the first input, ends in the
// way that its argument says.

import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Processes } from '../../processes.ts';

const processes = new Processes({ graceMs: 1_000 });
const main = fileURLToPath(new URL('./child.ts', import.meta.url));
processes.start({ name: 'child', main, args: ['polite'], env: process.env, output: 'inherit' });
await once(process.stdin, 'data');

const [ending] = process.argv.slice(2);
if (ending === 'exit') process.exit(0);
if (ending === 'error') throw new Error('on purpose');
if (ending === 'kill') process.kill(process.pid, 'SIGKILL');
