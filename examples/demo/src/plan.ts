import type { ActionArguments, RuleName } from '@gatehouse/contracts';
import type { PlanStatus, PlanStep } from '@gatehouse/example-gateway';
import type { Line } from './line.ts';

/** Expected values in one row of the demo's table. `rule` is the rule that caused the decision. */
type Expected = Pick<Line, 'decision' | 'rule' | 'outcome' | 'attempts'>;

export interface DemoStep {
  readonly step: PlanStep;
  readonly expected: Expected;
}

export const EXPECTED_STATUS: PlanStatus = 'denied';

const PRODUCT = {
  type: 'object',
  required: ['id', 'name', 'price_cents'],
  properties: { name: { type: 'string' }, price_cents: { type: 'integer', minimum: 1 } },
};
const VAT_CUSTOMER = { type: 'object', required: ['vat_number'] };
const PAID = { type: 'object', required: ['status'], properties: { status: { const: 'paid' } } };
const OPEN = { type: 'object', required: ['status'], properties: { status: { const: 'open' } } };

const NEW_ORDER = { customer_id: '1', product_id: '3', quantity: 1, status: 'open' };

export interface Upstreams {
  readonly shop: string;
  /** Base URL of a second shop, which answers the first two requests for each URL with 503. */
  readonly flaky: string;
  /** True if the executor has a destinations file with the shop's credential. */
  readonly fromFile: boolean;
}

/** Returns a sample plan of requests to a web shop. No step contains the shop's token. */
export function demoPlan({ shop, flaky, fromFile }: Upstreams): DemoStep[] {
  const refusal = fromFile ? 'DestinationNotAllowed' : 'HostNotAllowed';
  return [
    ...browse(shop),
    ...changeOrders(shop),
    ...meetTrouble(shop, flaky, refusal),
    ...(fromFile ? forgeCredential(shop) : []),
    ...goTooFar(shop),
  ];
}

function browse(shop: string): DemoStep[] {
  const [customer, product] = [`${shop}/customers/1`, `${shop}/products/1`];
  return [
    step('list-products', get(`${shop}/products`), runs('success 200')),
    step('read-product', get(product, PRODUCT), runs('success 200')),
    step('read-vat-number', get(customer, VAT_CUSTOMER), runs('SchemaValidationFailed')),
  ];
}

function changeOrders(shop: string): DemoStep[] {
  const [first, second] = [`${shop}/orders/1`, `${shop}/orders/2`];
  const create = post(`${shop}/orders`, NEW_ORDER);
  const pay = { method: 'PATCH', url: first, body: { status: 'paid' } };
  const refund = { method: 'DELETE', url: second };
  return [
    step('create-order', create, runs('success 201'), { ...euros(45), ...via('mcp://crm') }),
    step('pay-order', pay, runs('success 200'), euros(29)),
    step('see-it-paid', get(first, PAID), runs('success 200')),
    step('refund-order', refund, waits('spend_limit'), euros(249)),
    step('publish-order', create, waits('connector_scope'), via('mcp://billboard')),
    step('see-it-not-refunded', get(second, OPEN), runs('success 200')),
  ];
}

function meetTrouble(shop: string, flaky: string, refusal: string): DemoStep[] {
  return [
    step('read-missing-product', get(`${shop}/products/999`), runs('HttpFailure 404')),
    step('ask-a-stranger', get('http://stranger.example/prices'), refuses(refusal)),
    step('read-flaky', get(`${flaky}/products`), runs('success 200', 3)),
    step('create-flaky', post(`${flaky}/orders`, NEW_ORDER), runs('HttpFailure 503', 1)),
  ];
}

/** Returns a step that the executor refuses, because the request contains a forged credential. */
function forgeCredential(shop: string): DemoStep[] {
  const action = { ...get(`${shop}/products`), headers: { authorization: 'Bearer forged' } };
  return [step('forge-credential', action, refuses('InvalidAction'))];
}

function goTooFar(shop: string): DemoStep[] {
  const customers = get(`${shop}/customers`);
  return [
    step('recognise-faces', customers, denies('pii_guardrail'), touches('biometric')),
    step('list-orders', get(`${shop}/orders`), NOT_REACHED, { depends_on: ['recognise-faces'] }),
  ];
}

/**
 * Builds a step that depends on no other step and costs nothing. Pass `sections` to change that.
 */
function step(
  id: string,
  action: ActionArguments,
  expected: Expected,
  sections: Partial<PlanStep> = {},
): DemoStep {
  const facts = {
    depends_on: [],
    ...euros(0),
    pii: { categories: [] },
    legal: { flags: [] },
    ...sections,
  };
  return { step: { id, action, ...facts }, expected };
}

function get(url: string, response_schema?: Record<string, unknown>): ActionArguments {
  return { method: 'GET', url, ...(response_schema && { response_schema }) };
}

const post = (url: string, body: object): ActionArguments => ({ method: 'POST', url, body });

const euros = (amount: number) => ({
  spend: { amount_minor_units: amount * 100, currency: 'EUR' },
});
const via = (scope: string) => ({ connector: { scope } });
const touches = (category: 'biometric') => ({ pii: { categories: [category] } });

const NOT_REACHED: Expected = { decision: '', rule: '', outcome: 'not reached', attempts: '' };

function runs(outcome: string, attempts = 1): Expected {
  return { decision: 'allow', rule: '', outcome, attempts: String(attempts) };
}

function waits(rule: RuleName): Expected {
  return { decision: 'require_approval', rule, outcome: 'awaiting approval', attempts: '' };
}

function denies(rule: RuleName): Expected {
  return { decision: 'deny', rule, outcome: 'denied', attempts: '' };
}

function refuses(code: string): Expected {
  return { decision: 'allow', rule: '', outcome: `refused: ${code}`, attempts: '' };
}
