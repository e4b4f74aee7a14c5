import { createExecutorClient, type ExecutorClient } from '@gatehouse/client';
import { checkPolicy, defaultProfile } from '@gatehouse/policy';
import { reply, startService, startUpstream } from '@gatehouse/testing';

export interface World {
  readonly origin: string;
  readonly sent: () => number;
  readonly executor: ExecutorClient;
}

/** Starts a shop, and an executor that may reach only the shop. */
export async function startWorld(): Promise<World & AsyncDisposable> {
  const shop = await startUpstream(({ url }, response) =>
    reply(response, { body: url === '/long' ? ['x'.repeat(30_000)] : { order: 1 } }),
  );
  const env = { HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}` };
  const service = await startService('executor', env);
  const executor = createExecutorClient({ url: service.url });
  return {
    origin: shop.origin,
    sent: () => shop.requests.length,
    executor,
    [Symbol.asyncDispose]: async () => {
      await executor.close();
      await service[Symbol.asyncDispose]();
      await shop[Symbol.asyncDispose]();
    },
  };
}

/**
 * Policy engine whose `profile` a test may replace between the approval request and the execution.
 */
export const engine = () => {
  const policy = { profile: defaultProfile };
  const check = (request: unknown) => {
    const result = checkPolicy(request, policy.profile);
    if (!result.ok) throw new Error(JSON.stringify(result.violations));
    return result.response;
  };
  return Object.assign(policy, { check });
};
