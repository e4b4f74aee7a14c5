import { createLogger, loggerTo } from '@gatehouse/service';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { PlanResult } from '../../src/plan.ts';

/** The gateway on a free port, with the given settings; its log goes to `lines`. */
export async function startGateway(settings: Record<string, string>, lines?: string[]) {
  const config = readConfig({ GATEWAY_BIND_ADDR: '127.0.0.1:0', ...settings });
  const logger =
    lines === undefined
      ? createLogger('gateway', 'silent')
      : loggerTo({ write: (line) => lines.push(line) }, 'info', 'gateway');
  const app = buildApp({ config, logger });
  const url = await app.listen(config.bind);
  const post = (plan: unknown, init: RequestInit = {}) =>
    fetch(`${url}/plans`, {
      ...init,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...init.headers },
      body: JSON.stringify(plan),
    });
  /** Runs a plan that is well-formed. */
  const run = async (plan: unknown): Promise<PlanResult> => {
    const response = await post(plan);
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as PlanResult;
  };
  return { url, post, run, [Symbol.asyncDispose]: () => app.close() };
}
