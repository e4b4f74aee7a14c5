import { describe, expect, it } from 'vitest';
import { Processes } from '../../../dev/processes.ts';
import { mainOf } from '../../../dev/services.ts';
import { startGateway } from './support/gateway.ts';
import { step } from './support/steps.ts';

const TOKENS = { policy: 'policy-token-0123456789', executor: 'executor-token-0123456789' };

/** Both services, each with a token of its own. */
async function startServices() {
  const processes = new Processes({ graceMs: 5_000 });
  const bind = { POLICY_BIND_ADDR: '127.0.0.1:0', HTTP_EXECUTOR_BIND_ADDR: '127.0.0.1:0' };
  const tokens = { POLICY_API_TOKENS: TOKENS.policy, HTTP_EXECUTOR_API_TOKENS: TOKENS.executor };
  const urlOf = async (name: 'policy' | 'executor') => {
    const env = { ...bind, ...tokens };
    const started = processes.start({ name, main: mainOf(name), env, output: 'capture' });
    const [, url = ''] = await started.printed(/listening at (http:[^"]+)/, 15_000);
    return url;
  };
  const [policy, executor] = await Promise.all([urlOf('policy'), urlOf('executor')]);
  const urls = { POLICY_URL: policy, EXECUTOR_URL: executor };
  return { urls, [Symbol.asyncDispose]: async () => void (await processes.stop()) };
}

describe('services that ask for tokens', () => {
  it('are sent each its own; without, nothing is run', async () => {
    await using services = await startServices();
    const url = `${services.urls.POLICY_URL}/healthz`;
    const plan = { steps: [step('look', { action: { method: 'GET', url } })] };
    const [POLICY_API_TOKEN, EXECUTOR_API_TOKEN] = [TOKENS.policy, TOKENS.executor];

    await using known = await startGateway({
      ...services.urls,
      POLICY_API_TOKEN,
      EXECUTOR_API_TOKEN,
    });
    expect(await known.run(plan)).toMatchObject({
      status: 'completed',
      steps: [{ state: 'executed' }],
    });

    await using nobody = await startGateway(services.urls);
    expect(await nobody.run(plan)).toMatchObject({
      status: 'failed',
      steps: [
        {
          state: 'failed',
          message: expect.stringMatching(/answered with status 401 and Unauthorized\./),
        },
      ],
    });

    await using swapped = await startGateway({
      ...services.urls,
      POLICY_API_TOKEN,
      EXECUTOR_API_TOKEN: POLICY_API_TOKEN,
    });
    expect(await swapped.run(plan)).toMatchObject({
      steps: [{ state: 'refused', problem: { code: 'Unauthorized', status: 401 } }],
    });
  });
});
