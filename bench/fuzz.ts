import { Campaign } from './fuzz/campaign.ts';
import { LANES } from './fuzz/lanes.ts';
import { brokenOf, printVerdict, type Rule } from './support/figures.ts';
import { ROOT } from './support/subject.ts';

/**
 * Sends hostile requests, policy checks, schemas and answers of upstreams, all made up
 * from a seed, and says whether a service crashed, answered 500, was held up for more
 * than 100 ms, or answered otherwise than the contract says: `RUNS` of each, `SEED`,
 * `SECONDS` for each at most, `LANES` by name, and `ONLY` (numbers) to repeat a finding.
 */
const { RUNS = '100000', SEED = '1', SECONDS = '1800', LANES: names = '', ONLY } = process.env;
const only = ONLY?.split(',').map(Number);
const plan = { runs: Number(RUNS), seed: Number(SEED), seconds: Number(SECONDS), only };

console.error(`fuzzing the services of ${ROOT}`);
for (const lane of LANES.filter(({ name }) => names === '' || names.split(',').includes(name))) {
  const summary = await new Campaign(lane, plan).run();
  const { crashes, status_500, stalls, violations } = summary;
  const rules: Rule[] = [
    ['no crash', crashes === 0],
    ['no answer of 500', status_500 === 0],
    ['no stall', stalls === 0],
    ['every answer as the contract says', violations === 0],
  ];
  printVerdict({ ...summary }, brokenOf(rules));
}
