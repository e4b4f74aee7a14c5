import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** What a caller has to read of its answer. */
export interface ReadingPace {
  /** An answer that does not get on for so long is given up. */
  readonly pauseMs: number;
  /** The least that an answer has to get on by, on average. */
  readonly bytesPerSecond: number;
}

/**
 * With a full send buffer, of 4 MiB where Linux is as it comes, the system takes more of
 * an answer only when a third of that has gone: for a caller that reads 100 KB a second,
 * every 14 seconds.
 */
export const READING_PACE: ReadingPace = { pauseMs: 20_000, bytesPerSecond: 32 * 1024 };

/** So often within a pause. */
const LOOKS = 20;

/**
 * Closes connections whose callers do not read: their answers would be held for as long
 * as they please. A look at all connections now and then, since nearly every answer is
 * gone when it is written and should pay nothing.
 */
export function cutOffUnread(app: FastifyInstance, pace: ReadingPace): void {
  const open = new Map<Connection, Progress | undefined>();
  // Below TLS, where there is one: only there can it be seen what the caller takes.
  app.server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, before] of open) {
      const waiting = socket._handle?.writeQueueSize ?? socket.writableLength;
      const progress =
        waiting === 0 ? undefined : progressOf(socket.bytesWritten - waiting, before, now, pace);
      if (progress !== before) open.set(socket, progress);
      if (progress !== undefined && now >= progress.until)
        socket.destroy(new Error('the caller did not read its answer'));
    }
  };
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onListen', async () => {
    timer = setInterval(look, pace.pauseMs / LOOKS).unref();
  });
  app.addHook('onClose', async () => clearInterval(timer));
}

/**
 * What Node holds of a connection: how many bytes of it wait in the process, also of a
 * single large write.
 */
type Connection = Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };

/** How a caller gets on that has something to read. */
interface Progress {
  /** Bytes that the system has taken for it, of all answers on this connection. */
  readonly taken: number;
  /** When it has to have taken more. */
  readonly until: number;
}

function progressOf(
  taken: number,
  before: Progress | undefined,
  now: number,
  pace: ReadingPace,
): Progress {
  if (before === undefined) return { taken, until: now + pace.pauseMs };
  // What it has taken buys time, but never more than a whole pause.
  const boughtMs = ((taken - before.taken) / pace.bytesPerSecond) * 1_000;
  return { taken, until: Math.min(before.until + boughtMs, now + pace.pauseMs) };
}
