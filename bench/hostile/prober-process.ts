import { connect, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { mainThread, otherThreadsMs, residentMib } from '../support/process-figures.ts';

/** What was seen since the last report; see `Probed`. */
let wallMs = 0;
let heldMs = 0;
let peakMib = 0;

const EVERY_MS = 10;
/** Reading the memory takes longer than reading the time. */
const MEMORY_EVERY = 5;
const STALL_MS = 100;
const PROCESSORS = availableParallelism();
const REQUEST = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';

const [port = 0, pid = 0] = process.argv.slice(2).map(Number);

/** A question that waits for its answer: when it was asked, and how things stood then. */
interface Asked extends Times {
  readonly at: number;
}

/** Milliseconds so far that the service's event loop waited to run, and its threads ran. */
interface Times {
  readonly loopWaited: number;
  readonly othersRan: number;
}

const times = (): Times => ({
  loopWaited: mainThread(pid).waitedMs,
  othersRan: otherThreadsMs(pid),
});

/** How long this process had waited to run by its latest tick. */
let waitedByTick = 0;

let socket: Socket | undefined;
let asked: Asked | undefined;

function open(): void {
  const opened = connect({ host: '127.0.0.1', port, noDelay: true }).setEncoding('latin1');
  let text = '';
  opened.on('data', (part: string) => {
    text += part;
    if (!text.endsWith('}')) return;
    text = '';
    count();
  });
  opened.on('error', () => {});
  opened.on('close', () => {
    count();
    socket = undefined;
  });
  socket = opened;
}

/**
 * The wait for an answer, and that without the time in which the machine ran others,
 * which is none of the service's doing. Its own threads are no others: what they took
 * beyond the processors that the event loop leaves them counts.
 */
function measure(asked: Asked): { wall: number; held: number } {
  const wall = performance.now() - asked.at;
  const now = times();
  const crowding = Math.max(0, now.othersRan - asked.othersRan - (PROCESSORS - 1) * wall);
  // A process that has ended tells no times.
  const service = Math.max(0, now.loopWaited - asked.loopWaited - crowding);
  const prober = mainThread(process.pid).waitedMs - waitedByTick;
  return { wall, held: Math.max(0, wall - service - prober) };
}

/** Counts the question that waits, which is answered, or never will be. */
function count(): void {
  if (asked === undefined) return;
  const { wall, held } = measure(asked);
  asked = undefined;
  wallMs = Math.max(wallMs, wall);
  heldMs = Math.max(heldMs, held);
  if (held > STALL_MS) process.send?.({ stalledMs: held });
}

let ticks = 0;
setInterval(() => {
  ticks += 1;
  if (ticks % MEMORY_EVERY === 0) peakMib = Math.max(peakMib, residentMib(pid, 'VmHWM') || 0);
  waitedByTick = mainThread(process.pid).waitedMs;
  if (socket === undefined) open();
  if (asked !== undefined) return;
  asked = { at: performance.now(), ...times() };
  socket?.write(REQUEST);
}, EVERY_MS);

process.on('message', () => {
  // A stall that goes on counts as long as it has lasted.
  const open = asked === undefined ? { wall: 0, held: 0 } : measure(asked);
  const report = {
    wallMs: Math.max(wallMs, open.wall),
    heldMs: Math.max(heldMs, open.held),
    peakMib: Math.max(peakMib, residentMib(pid, 'VmHWM') || 0),
  };
  process.send?.({ report });
  wallMs = heldMs = peakMib = 0;
});
process.on('disconnect', () => process.exit());
