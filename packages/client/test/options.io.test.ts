import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { callOptionsOf, requestIdOf } from '../src/index.ts';

const TRACE = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };

it('calls take the id and trace of a request, and end when the sender disconnects', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receive = async (headers: Record<string, string>, signal?: AbortSignal) => {
    const answer = fetch(url, { headers, ...(signal && { signal }) }).catch(() => undefined);
    type Received = [request: IncomingMessage, response: ServerResponse];
    const [request, response] = (await once(server, 'request')) as Received;
    return { request, response, answer };
  };

  const headers = { 'x-request-id': 'r-1', ...TRACE, tracestate: 'a=b' };
  const patient = await receive(headers);
  const call = callOptionsOf(patient.request, patient.response);
  expect(call).toMatchObject({ requestId: 'r-1', ...TRACE, tracestate: 'a=b' });
  patient.response.end();
  await patient.answer;
  expect(call.signal.aborted).toBe(false);

  const caller = new AbortController();
  const gone = await receive({ 'x-request-id': 'a b' }, caller.signal);
  const given = callOptionsOf(gone.request, gone.response);
  expect(given).toMatchObject({ traceparent: undefined, tracestate: undefined });
  expect(given.requestId).toMatch(/^[\da-f-]{36}$/);
  const aborted = once(given.signal, 'abort');
  caller.abort();
  await aborted;
  expect(callOptionsOf(gone.request, gone.response).signal.aborted).toBe(true);
  server.close();
});

it('an invalid request id is replaced with a new one', () => {
  for (const given of ['r', 'x'.repeat(128), '!~'])
    for (const headers of [{ 'x-request-id': given }, new Headers({ 'x-request-id': given })])
      expect(requestIdOf(headers)).toBe(given);
  for (const given of ['', 'a b', 'é', 'x'.repeat(129), ['a', 'b']] as string[])
    expect(requestIdOf({ 'x-request-id': given })).toMatch(/^[\da-f-]{36}$/);
});
