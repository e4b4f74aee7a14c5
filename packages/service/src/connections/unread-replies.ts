import type { Server, Socket } from 'node:net';

/** How fast a caller has to read its reply. */
export interface ReadingPace {
  /** A connection that makes no progress for so long is closed. */
  readonly pauseMs: number;
  /** The lowest average. */
  readonly bytesPerSecond: number;
}

/** Linux takes more when a third of its 4 MiB buffer has gone: at 100 KB/s, every 14 s. */
export const READING_PACE: ReadingPace = { pauseMs: 20_000, bytesPerSecond: 32 * 1024 };

const CHECKS_PER_PAUSE = 20;

/** Closes connections whose callers do not read: their replies would stay in memory. */
export class UnreadReplies {
  readonly #pace: ReadingPace;
  readonly #open = new Map<Connection, Progress | undefined>();
  /** One for all connections: nearly every reply is gone at once, and should cost nothing. */
  #timer: NodeJS.Timeout | undefined;

  constructor(server: Server, pace: ReadingPace) {
    this.#pace = pace;
    // The socket below TLS: only there can it be seen what the caller takes.
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, undefined);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.#check(), this.#pace.pauseMs / CHECKS_PER_PAUSE).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const [socket, before] of this.#open) {
      const waiting = socket._handle?.writeQueueSize ?? socket.writableLength;
      const taken = socket.bytesWritten - waiting;
      const progress = waiting === 0 ? undefined : this.#progress(taken, before, now);
      if (progress !== before) this.#open.set(socket, progress);
      if (progress !== undefined && now >= progress.until)
        socket.destroy(new Error('the caller did not read its answer'));
    }
  }

  #progress(taken: number, before: Progress | undefined, now: number): Progress {
    const { pauseMs, bytesPerSecond } = this.#pace;
    if (before === undefined) return { taken, until: now + pauseMs };
    // Bytes taken buy time, but never more than a whole pause.
    const boughtMs = ((taken - before.taken) / bytesPerSecond) * 1_000;
    return { taken, until: Math.min(before.until + boughtMs, now + pauseMs) };
  }
}

/** Node's own count of the bytes that wait in the process, also of one large write. */
type Connection = Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };

interface Progress {
  /** Bytes of all replies on this connection that the system has taken. */
  readonly taken: number;
  /** When it has to have taken more. */
  readonly until: number;
}
