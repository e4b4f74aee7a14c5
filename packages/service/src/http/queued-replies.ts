import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Replies that wait for earlier replies on the same connection. */
export type QueuedReplies = WeakMap<Socket, Set<ServerResponse>>;

/** Adds a reply to the queued ones until it closes, unless it can be sent at once. */
export function rememberQueued(
  queued: QueuedReplies,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): void {
  const response = reply.raw;
  if (response.socket !== null) return;
  const replies = queued.get(raw.socket) ?? new Set();
  queued.set(raw.socket, replies.add(response));
  response.once('close', () => replies.delete(response));
}

/**
 * Returns a handler for CONNECT, which disconnects the client and closes its queued replies. Node
 * forgets these replies, so without `close` they would count as requests in flight forever.
 */
export function refuseTunnels(queued: QueuedReplies) {
  return (_request: unknown, socket: Socket): void => {
    socket.destroy();
    for (const response of queued.get(socket) ?? []) response.emit('close');
  };
}
