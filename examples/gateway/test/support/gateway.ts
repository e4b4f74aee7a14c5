import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { PlanResult } from '../../src/plan.ts';

/** Token of the person who approves steps, for gateways whose settings contain it. */
export const APPROVER = 'approver-token';

interface Options {
  readonly lines?: string[];
  /** Time limit for one call to a service, in milliseconds. Default: the client's limit. */
  readonly timeoutMs?: number | undefined;
}

export async function startGateway(
  settings: Record<string, string>,
  { lines, timeoutMs }: Options = {},
) {
  const { executor, policy, ...config } = readConfig({
    GATEWAY_BIND_ADDR: '127.0.0.1:0',
    GATEWAY_LOG_LEVEL: lines === undefined ? 'silent' : 'info',
    ...settings,
  });
  const app = buildApp(
    {
      ...config,
      executor: { ...executor, timeoutMs },
      policy: policy && { ...policy, timeoutMs },
    },
    { write: (line) => lines?.push(line) },
  );
  const url = await app.listen(config.bind);
  const post = (plan: unknown, init: RequestInit = {}) =>
    fetch(`${url}/plans`, {
      ...init,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...init.headers },
      body: typeof plan === 'string' ? plan : JSON.stringify(plan),
    });
  const run = async (plan: unknown): Promise<PlanResult> => {
    const response = await post(plan);
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as PlanResult;
  };
  const approve = (planId: string, approval: object, token = APPROVER) =>
    fetch(`${url}/plans/${planId}/approvals`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(approval),
    });
  return { url, post, run, approve, [Symbol.asyncDispose]: () => app.close() };
}
