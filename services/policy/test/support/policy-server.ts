import { createLogger, type Environment } from '@gatehouse/service';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

export interface PolicyServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** Reads a configuration under which a busy machine refuses no requests. */
export const configOf = (env: Environment = {}) =>
  readConfig({ MAX_EVENT_LOOP_DELAY_MS: '600000', ...env });

/** Starts the policy service on a free loopback port. */
export async function startPolicy(): Promise<PolicyServer> {
  const app = await buildApp({ config: configOf(), logger: createLogger('policy', 'silent') });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    port: Number(new URL(url).port),
    [Symbol.asyncDispose]: async () => {
      await app.close();
    },
  };
}

export function postCheck(
  url: string,
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
  path = '/policy/check',
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}
