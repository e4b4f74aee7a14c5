import { pinLoad } from './support/cores.ts';
import { median } from './support/figures.ts';
import { load } from './support/load.ts';
import { TYPICAL_CHECK } from './support/requests.ts';
import { startService } from './support/subject.ts';

// Compares batches of 100 checks with single checks, in decisions per second of processor time. The
// environment variables `ROUNDS` and `SECONDS` override the defaults.
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 2);
const CONNECTIONS = 8;
const CHECKS = 100;

pinLoad();
await using policy = await startService('policy');

const single = { url: `${policy.url}/policy/check`, body: JSON.stringify(TYPICAL_CHECK) };
const checks = Array.from({ length: CHECKS }, () => TYPICAL_CHECK);
const batch = { url: `${policy.url}/policy/check/batch`, body: JSON.stringify({ checks }) };

async function measure(target: typeof single, decisions: number): Promise<number> {
  const before = policy.cpuMs();
  const { answered } = await load(target, { connections: CONNECTIONS, seconds: SECONDS });
  return (answered * decisions * 1_000) / (policy.cpuMs() - before);
}

await measure(single, 1);
await measure(batch, CHECKS);
const rounds = { single: [] as number[], batch: [] as number[] };
for (let round = 0; round < ROUNDS; round++) {
  rounds.single.push(await measure(single, 1));
  rounds.batch.push(await measure(batch, CHECKS));
}
for (const [name, rates] of Object.entries(rounds)) {
  const rate = Math.round(median(rates)).toLocaleString('en-US');
  console.log(`${name.padEnd(8)} ${rate} decisions/s`);
}
