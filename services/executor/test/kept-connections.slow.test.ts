import type { Socket } from 'node:net';
import { METHODS } from '@gatehouse/contracts';
import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { startRawUpstream } from './support/raw-upstream.ts';

const executor = shared(startExecutor);

const CALLS = 1_000;
const AT_ONCE = 4;

/** How an upstream ends a connection that it has promised to keep. */
const ENDS: Record<string, (socket: Socket) => void> = {
  'FIN with the answer': (socket) => socket.end(),
  'FIN after it': (socket) => void setImmediate(() => socket.end()),
  'FIN 1 ms after it': (socket) => void setTimeout(() => socket.end(), 1),
  'RST 1 ms after it': (socket) => void setTimeout(() => socket.resetAndDestroy(), 1),
  'RST when asked again': (socket) => void socket.once('data', () => socket.resetAndDestroy()),
};

describe('an upstream that promises keep-alive and closes', () => {
  it.each(Object.entries(ENDS))('%s: no call fails, none waits, no POST twice', async (_n, end) => {
    const answer = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 4\r\n\r\n';
    await using upstream = await startRawUpstream({
      asked: (socket) => {
        const head = upstream.heads.at(-1) ?? '';
        socket.write(head.startsWith('HEAD') ? answer : `${answer}true`);
        end(socket);
      },
    });
    const failures: unknown[] = [];
    let next = 0;
    const callInTurn = async () => {
      while (next < CALLS) {
        const call = next++;
        const method = METHODS[call % METHODS.length];
        const outcome = await executor().outcome({ method, url: `${upstream.origin}/${call}` });
        if (outcome.outcome !== 'success' || outcome.attempts !== 1) failures.push(outcome);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, callInTurn));
    expect(failures).toEqual([]);
    const once = upstream.heads.filter((head) => /^(?:POST|PATCH) /.test(head));
    const lines = new Set(once.map((head) => head.split('\r\n', 1)[0]));
    expect(once).toHaveLength(lines.size);
    const sent = Array.from({ length: CALLS }, (_, call) => METHODS[call % METHODS.length]);
    expect(once).toHaveLength(sent.filter((each) => each === 'POST' || each === 'PATCH').length);
  });
});
