import {
  checkPolicy,
  completeProfile,
  decisionRecord,
  evaluate,
  type Profile,
  toExplanation,
} from '@gatehouse/policy-engine';
import { do_not_optimize, measure } from 'mitata';
import { median } from './support/figures.ts';
import { TYPICAL_CHECK } from './support/requests.ts';

const text = JSON.stringify(TYPICAL_CHECK);
const request = JSON.parse(text);

/** Limits of its own for two currencies, and 60 more scopes. */
const own: Profile = completeProfile({
  name: 'own',
  spend: {
    max_user_limit_major_units: 200,
    currencies: {
      EUR: { limit_minor_units: 12_000, max_user_limit_minor_units: 20_000 },
      JPY: {
        limit_minor_units: 15_000,
        ceiling_minor_units: 75_000,
        max_user_limit_minor_units: 0,
      },
    },
  },
  pii: { categories: { location: 'require_approval' } },
  connector: {
    deny: Array.from({ length: 20 }, (_, n) => `mcp://secret-${n}`),
    require_approval: Array.from({ length: 20 }, (_, n) => `mcp://billing-${n}`),
    allow: ['mcp://calendar', ...Array.from({ length: 20 }, (_, n) => `mcp://team-${n}-*`)],
  },
});
const evaluation = evaluate(request);

const subjects = {
  'JSON.parse of the request': () => do_not_optimize(JSON.parse(text)),
  evaluate: () => do_not_optimize(evaluate(request)),
  'evaluate, own profile': () => do_not_optimize(evaluate(request, own)),
  decisionRecord: () => do_not_optimize(decisionRecord(request, evaluation)),
  toExplanation: () => do_not_optimize(toExplanation(evaluation)),
  'checkPolicy (validation too)': () => do_not_optimize(checkPolicy(request)),
};

const ROUNDS = 5;

/** Median nanoseconds per call; rounds alternate, so that all meet the same machine. */
async function medians(): Promise<Map<string, number>> {
  const samples = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(subjects))
      samples.get(name)?.push((await measure(run)).p50);
  }
  return new Map([...samples].map(([name, values]) => [name, median(values)]));
}

const results = await medians();
const baseline = results.get('JSON.parse of the request') ?? Number.NaN;
for (const [name, ns] of results) {
  const perSecond = Math.round(1e9 / ns).toLocaleString('en-US');
  console.log(
    `${name.padEnd(30)} ${ns.toFixed(0).padStart(6)} ns ${perSecond.padStart(12)}/s  ratio ${(ns / baseline).toFixed(3)}`,
  );
}
