import type { Socket } from 'node:net';
import { METHODS, RETRIED_METHODS } from '@gatehouse/contracts';
import { shared, startRawUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));

const CALLS = 1_000;
const AT_ONCE = 4;

/** Ways in which an upstream closes a connection that it has promised to keep. */
const ENDS: Record<string, (socket: Socket) => void> = {
  'FIN with the answer': (socket) => socket.end(),
  'FIN after it': (socket) => void setImmediate(() => socket.end()),
  'FIN 1 ms after it': (socket) => void setTimeout(() => socket.end(), 1),
  'RST 1 ms after it': (socket) => void setTimeout(() => socket.resetAndDestroy(), 1),
  'RST when asked again': (socket) => void socket.once('data', () => socket.resetAndDestroy()),
};

describe('an upstream that promises keep-alive and closes', () => {
  it.each(Object.entries(ENDS))(
    '%s: failures are honest, and every request is an attempt',
    async (_n, end) => {
      const answer = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 4\r\n\r\n';
      await using upstream = await startRawUpstream({
        asked: (socket) => {
          const head = upstream.heads.at(-1) ?? '';
          socket.write(head.startsWith('HEAD') ? answer : `${answer}true`);
          end(socket);
        },
      });
      const methodOf = (call: number) => METHODS[call % METHODS.length] ?? 'GET';
      const attempts: number[] = [];
      const failures = new Map<number, { readonly message: string; readonly attempts: number }>();
      let next = 0;
      const callInTurn = async () => {
        while (next < CALLS) {
          const call = next++;
          const url = `${upstream.origin}/${call}`;
          const outcome = await executor().outcome({ method: methodOf(call), url });
          attempts[call] = outcome.attempts;
          if (outcome.outcome === 'failure') failures.set(call, outcome);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, callInTurn));
      const arrived = Array.from({ length: CALLS }, () => 0);
      for (const head of upstream.heads) {
        const call = Number(/^\S+ \/(\d+) /.exec(head)?.[1]);
        arrived[call] = (arrived[call] ?? 0) + 1;
      }
      // A request may meet a connection that its upstream is just closing. A POST is not sent again.
      for (const [call, { attempts: tried, message }] of failures) {
        expect(tried).toBe(RETRIED_METHODS.includes(methodOf(call)) ? 3 : 1);
        const neverSent = tried === 1 && message.endsWith('Nothing was sent.');
        if (neverSent) expect(arrived[call]).toBe(0);
        else if (tried === 1) expect(message).toMatch(/may have acted on the request\.$/);
      }
      for (const [call, requests] of arrived.entries()) {
        expect(requests, `${call}`).toBeLessThanOrEqual(attempts[call] ?? 0);
        if (!RETRIED_METHODS.includes(methodOf(call)))
          expect(requests, `${call}`).toBeLessThanOrEqual(1);
      }
    },
  );
});
