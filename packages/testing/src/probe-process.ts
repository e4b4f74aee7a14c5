import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/**
 * Process that keeps requesting `/healthz` on one connection. Answers each message from the parent
 * process with the longest delay of a response since the previous message.
 */
const [port = 0, pid = 0] = process.argv.slice(2).map(Number);
const EVERY_MS = 10;
const REQUEST = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';

let longest = 0;
let asked: { at: number; waited: number } | undefined;
let socket: Socket | undefined;

/** Unit of time in `/proc/stat`: a hundredth of a second. */
const TICK_MS = 10;

/**
 * Returns how many milliseconds the service and this process have waited for a processor. The
 * result includes the time that the host machine gave to other virtual machines.
 */
function waitedMs(): number {
  try {
    const waits = [pid, process.pid].map((id) =>
      Number(readFileSync(`/proc/${id}/task/${id}/schedstat`, 'latin1').split(' ')[1]),
    );
    const [, stolen = 0] =
      /^cpu(?: +\d+){7} +(\d+)/.exec(readFileSync('/proc/stat', 'latin1')) ?? [];
    return waits.reduce((sum, wait) => sum + wait, 0) / 1e6 + Number(stolen) * TICK_MS;
  } catch {
    return 0;
  }
}

/**
 * Returns how long the pending request has waited, minus the time during which the machine ran
 * other programs.
 */
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
  // Include the delay of a request that is still waiting for its response.
  process.send?.(Math.max(longest, delayMs()));
  longest = 0;
});
process.on('disconnect', () => process.exit());
