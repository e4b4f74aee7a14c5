import { createPolicyClient } from '@gatehouse/client';
import { POLICY_PATHS } from '@gatehouse/contracts';
import { Agent, request } from 'undici';
import { pinLoad } from './support/cores.ts';
import { median } from './support/figures.ts';
import { TYPICAL_CHECK } from './support/requests.ts';
import { startService } from './support/subject.ts';

/**
 * Processor time of this process for a check by the client, beside plain undici with
 * `JSON.parse`: `ROUNDS` (9), `CALLS` (20,000) in each, 32 at once.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 9);
const CALLS = Number(process.env.CALLS ?? 20_000);
const AT_ONCE = 32;
const AIM = 0.9;

pinLoad();
await using service = await startService('policy');
await using client = createPolicyClient({ url: service.url });
const dispatcher = new Agent();

async function plain(): Promise<void> {
  const { body, statusCode } = await request(`${service.url}${POLICY_PATHS.check}`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'bench' },
    body: JSON.stringify(TYPICAL_CHECK),
  });
  const { decision } = JSON.parse(await body.text());
  if (statusCode !== 200 || typeof decision !== 'string') throw new Error(`status ${statusCode}`);
}

async function ours(): Promise<void> {
  await client.check(TYPICAL_CHECK as Parameters<typeof client.check>[0]);
}

/** Microseconds of processor time for each call. */
async function cost(call: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  let left = CALLS;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

await cost(plain);
await cost(ours);
const ratios: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const forth = round % 2 === 0;
  const first = await cost(forth ? plain : ours);
  const second = await cost(forth ? ours : plain);
  const [bare, mine] = forth ? [first, second] : [second, first];
  ratios.push(bare / mine);
  console.log(JSON.stringify({ round, plain_us: bare, client_us: mine, ratio: bare / mine }));
}

const ratio = median(ratios);
console.log(JSON.stringify({ median: ratio, aim: AIM }));
if (ratio < AIM) process.exitCode = 1;
await dispatcher.close();
