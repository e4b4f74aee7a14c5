import { createLogger } from '@gatehouse/service';
import { buildApp } from '../../src/app.ts';

export interface PolicyServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/**
 * The policy service on a free port of the loopback interface; closed when disposed of.
 */
export async function startPolicy(): Promise<PolicyServer> {
  const app = await buildApp({ logger: createLogger('policy', 'silent') });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    port: Number(new URL(url).port),
    [Symbol.asyncDispose]: async () => {
      await app.close();
    },
  };
}

/** Sends text as the JSON body of a check. */
export function postCheck(
  url: string,
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/policy/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}
