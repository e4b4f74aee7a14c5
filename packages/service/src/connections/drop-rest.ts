import type { Socket } from 'node:net';

/** How much a client may still send, and for how long, before its connection closes. */
export interface Remainder {
  readonly bytes: number;
  readonly ms: number;
}

/** Contract, section 1. */
export const REMAINDER: Remainder = { bytes: 8 * 1024 * 1024, ms: 5_000 };

/**
 * Drops what the client still sends: closing with unread bytes resets the connection and
 * loses the reply. Beyond `bytes` reading stops, so that the client looks for its reply.
 * INVARIANT: the parser gets none of it; a request in it would run without a reply.
 */
export function dropRest(socket: Socket, { bytes, ms }: Remainder = REMAINDER): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), ms);
  let dropped = 0;
  socket.removeAllListeners('data');
  socket.on('data', (chunk) => {
    dropped += chunk.length;
    if (dropped > bytes) socket.pause();
  });
  socket.once('close', () => clearTimeout(timer));
  // Node calls this after the last reply; its own version destroys the connection at once.
  socket.destroySoon = () => socket.end();
}
