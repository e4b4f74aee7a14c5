import {
  checkPolicy,
  defaultProfile,
  evaluatePolicy,
  type Profile,
} from '@gatehouse/policy-engine';
import { do_not_optimize, measure } from 'mitata';

/** What a planner asks for a typical step: all four sections. */
const text = JSON.stringify({
  request_id: 'plan-7/step-3',
  spend: { amount_minor_units: 8_750, currency: 'EUR', user_limit_minor_units: 12_000 },
  pii: { categories: ['basic_contact', 'health'] },
  legal: { flags: ['requires_review'] },
  connector: { scope: 'mcp://calendar' },
});
const request = JSON.parse(text);

/** 64 labels, the request's own at the end. */
const labels = ({ outcomes, unknown }: Profile['piiCategories']) => {
  const more = Array.from({ length: 64 - Object.keys(outcomes).length }, (_, n) => `label_${n}`);
  return {
    outcomes: { ...Object.fromEntries(more.map((label) => [label, 'deny'] as const)), ...outcomes },
    unknown,
  };
};
const large: Profile = {
  ...defaultProfile,
  piiCategories: labels(defaultProfile.piiCategories),
  legalFlags: labels(defaultProfile.legalFlags),
};

const subjects = {
  'JSON.parse of the request': () => do_not_optimize(JSON.parse(text)),
  evaluatePolicy: () => do_not_optimize(evaluatePolicy(request)),
  'evaluatePolicy, 64 labels': () => do_not_optimize(evaluatePolicy(request, large)),
  'checkPolicy (validation too)': () => do_not_optimize(checkPolicy(request)),
};

const ROUNDS = 5;

/**
 * Median nanoseconds per call; rounds alternate between the subjects, so that all meet
 * the same machine.
 */
async function medians(): Promise<Map<string, number>> {
  const samples = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(subjects))
      samples.get(name)?.push((await measure(run)).p50);
  }
  return new Map(
    [...samples].map(([name, values]) => [
      name,
      values.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN,
    ]),
  );
}

const results = await medians();
const baseline = results.get('JSON.parse of the request') ?? Number.NaN;
for (const [name, ns] of results) {
  const perSecond = Math.round(1e9 / ns).toLocaleString('en-US');
  console.log(
    `${name.padEnd(30)} ${ns.toFixed(0).padStart(6)} ns ${perSecond.padStart(12)}/s  ratio ${(ns / baseline).toFixed(3)}`,
  );
}
