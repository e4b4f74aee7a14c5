import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { traceHeaders } from '../../src/index.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

const of = (headers: Record<string, string>) =>
  Object.fromEntries(traceHeaders({ headers } as unknown as FastifyRequest));

describe('the trace context of a caller', () => {
  it('is passed on', () => {
    const headers = { traceparent: `00-${ID}-${PARENT}-01`, tracestate: 'vendor=1' };
    expect(of({ ...headers, 'x-other': 'no' })).toEqual(headers);
  });

  it.each([
    ['none', ''],
    ['version ff', `ff-${ID}-${PARENT}-01`],
    ['an all-zero trace id', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['an all-zero parent id', `00-${ID}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${ID.toUpperCase()}-${PARENT}-01`],
    ['a short id', `00-${ID.slice(1)}-${PARENT}-01`],
  ])('is ignored with %s', (_name, traceparent) => {
    expect(of({ traceparent, tracestate: 'vendor=1' })).toEqual({});
  });
});
