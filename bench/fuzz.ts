import { Campaign, type Summary } from './fuzz/campaign.ts';
import { LANES } from './fuzz/lanes.ts';
import { ROOT } from './hostile/service.ts';

/**
 * Sends hostile requests, policy checks, schemas and answers of upstreams, all made up
 * from a seed, and says whether a service crashed, answered 500, was held up for more
 * than 100 ms, or answered otherwise than the contract says: `RUNS` of each, `SEED`,
 * `SECONDS` for each at most, `LANES` by name, and `ONLY` (numbers) to repeat a finding.
 */
const { RUNS = '100000', SEED = '1', SECONDS = '1800', LANES: names = '', ONLY } = process.env;
const only = ONLY?.split(',').map(Number);
const plan = { runs: Number(RUNS), seed: Number(SEED), seconds: Number(SECONDS), only };

function print(summary: Summary): void {
  if (!process.stdout.isTTY) {
    console.log(JSON.stringify(summary));
    return;
  }
  const { sorts, outcomes, ...figures } = summary;
  console.log(
    Object.entries(figures)
      .map(([name, value]) => `${name} ${value}`)
      .join('   '),
  );
  for (const [sort, times] of Object.entries(sorts)) console.log(`  ${times} × ${sort}`);
  console.log(
    `  answered: ${Object.entries(outcomes)
      .slice(0, 20)
      .map(([label, times]) => `${times} ${label}`)
      .join(', ')}`,
  );
}

console.error(`fuzzing the services of ${ROOT}`);
for (const lane of LANES.filter(({ name }) => names === '' || names.split(',').includes(name))) {
  const summary = await new Campaign(lane, plan).run();
  print(summary);
  const { crashes, status_500, stalls, violations } = summary;
  if (crashes + status_500 + stalls + violations > 0) process.exitCode = 1;
}
