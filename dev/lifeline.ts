// Preloaded into every child process: when the program that started it is gone, however
// that ended, the channel between the two closes, and the child ends as if it had been
// told to. A child's worker threads load this as well, and have no such channel.

import { isMainThread } from 'node:worker_threads';

const end = () => process.kill(process.pid, 'SIGTERM');

if (isMainThread) {
  process.once('disconnect', end);
  process.channel?.unref();
  if (!process.connected) end();
}
