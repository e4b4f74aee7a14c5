import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/** Requests `/healthz` repeatedly on one connection. Reports the longest delay on a message. */
const [port = 0, pid = 0] = process.argv.slice(2).map(Number);
const EVERY_MS = 10;
const REQUEST = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';

let longest = 0;
let asked: { at: number; waited: number } | undefined;
let socket: Socket | undefined;

/** Milliseconds for which the service's main thread and ours waited for a processor. */
function waitedMs(): number {
  try {
    const waits = [pid, process.pid].map((id) =>
      Number(readFileSync(`/proc/${id}/task/${id}/schedstat`, 'latin1').split(' ')[1]),
    );
    return waits.reduce((sum, wait) => sum + wait, 0) / 1e6;
  } catch {
    return 0;
  }
}

/** Excludes the time in which the machine ran other programs. */
function delayMs(): number {
  if (asked === undefined) return 0;
  return performance.now() - asked.at - (waitedMs() - asked.waited);
}

function settle(): void {
  longest = Math.max(longest, delayMs());
  asked = undefined;
}

function open(): Socket {
  return connect({ host: '127.0.0.1', port, noDelay: true })
    .on('data', settle)
    .on('error', () => {})
    .on('close', () => {
      settle();
      socket = undefined;
    });
}

setInterval(() => {
  if (asked !== undefined) return;
  socket ??= open();
  asked = { at: performance.now(), waited: waitedMs() };
  socket.write(REQUEST);
}, EVERY_MS);

process.on('message', () => {
  // Include a request that is still waiting.
  process.send?.(Math.max(longest, delayMs()));
  longest = 0;
});
process.on('disconnect', () => process.exit());
