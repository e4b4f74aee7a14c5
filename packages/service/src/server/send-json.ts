import type { FastifyReply } from 'fastify';

/** Sends a text that is JSON already. */
export function sendJson(reply: FastifyReply, text: string): void {
  reply.type('application/json; charset=utf-8').send(text);
}
