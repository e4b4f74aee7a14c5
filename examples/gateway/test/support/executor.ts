import {
  type Handler,
  type Received,
  type Reply,
  reply,
  startUpstream,
  type Upstream,
} from '@gatehouse/testing';
import { SUCCESS } from './steps.ts';

export interface Executor extends AsyncDisposable, Pick<Upstream, 'origin'> {
  /** Executions and dry runs, without questions about the sandbox. */
  readonly requests: readonly Received[];
}

/** Starts an executor that answers with `script`. It accepts idempotency keys if it has a store. */
export async function startExecutor(
  script: readonly Reply[] | Handler = [{ body: SUCCESS }],
  idempotency = false,
): Promise<Executor> {
  const requests: Received[] = [];
  const left = Array.isArray(script) ? [...script] : [];
  const upstream = await startUpstream((request, response) => {
    if (request.method === 'GET') return reply(response, { body: { idempotency } });

    requests.push(request);
    if (typeof script === 'function') return script(request, response);
    reply(response, (left.length > 1 ? left.shift() : left[0]) ?? {});
  });
  const { origin, [Symbol.asyncDispose]: end } = upstream;
  return { origin, requests, [Symbol.asyncDispose]: end };
}
