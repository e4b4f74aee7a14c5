import type { Socket } from 'node:net';

/**
 * How much of what a client still sends is read and dropped before its connection closes,
 * and for how long.
 */
export interface Remainder {
  readonly bytes: number;
  readonly ms: number;
}

/** The whole of it (contract, section 1). */
export const REMAINDER: Remainder = { bytes: 8 * 1024 * 1024, ms: 5_000 };

/**
 * Drops what the client still sends, until it ends the connection or the time is over.
 * What is written meanwhile arrives: a connection that closes with bytes unread is reset,
 * and that destroys what was written. A client that has sent too much is left to wait, so
 * that it looks for an answer.
 *
 * INVARIANT: nothing of it is read as HTTP. A further request in it would be carried out
 * and never answered.
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
  // Called by Node after the last answer; its own one destroys the connection at once.
  socket.destroySoon = () => socket.end();
}
