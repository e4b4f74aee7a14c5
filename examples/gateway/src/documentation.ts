import { CURRENCY_FORMAT } from '@gatehouse/contracts';
import { CURRENCY_CODES } from '@gatehouse/policy-engine';
import { type Documentation, responseOf, withExamples } from '@gatehouse/service';
import manifest from '../package.json' with { type: 'json' };
import { Plan, PlanResult } from './plan.ts';

const TAG = { name: 'plans', description: 'Steps of a planner, each checked before it runs.' };

const EXAMPLE = {
  plan_id: 'afternoon',
  steps: [
    {
      id: 'read-product',
      action: { method: 'GET', url: 'https://api.shop.example/products/7' },
      spend: { amount_minor_units: 0, currency: 'EUR' },
      pii: { categories: [] },
      legal: { flags: [] },
    },
  ],
};

/** `POST /plans`. */
export const planSchema = {
  operationId: 'runPlan',
  tags: [TAG.name],
  summary: 'Run a plan',
  description:
    'Runs the steps in order. Each is checked first, and executed only if it is allowed; a denied or failed one stops the plan.',
  body: withExamples(Plan, { default: { summary: 'A step that reads', value: EXAMPLE } }),
  problems: ['InvalidRequest'] as const,
  response: { 200: responseOf(PlanResult, 'The result of each step, good or bad.') },
};

/** What people read about the gateway at `/docs`. */
export const documentation: Documentation = {
  title: 'Gatehouse example gateway',
  description: 'Runs a planner’s plan through the policy and the executor.',
  version: manifest.version,
  license: manifest.license,
  tags: [TAG],
  formats: { [CURRENCY_FORMAT]: { pattern: `^(?:${CURRENCY_CODES.join('|')})$` } },
};
