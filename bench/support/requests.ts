export const TYPICAL_CHECK = {
  request_id: 'plan-7/step-3',
  spend: { amount_minor_units: 8_750, currency: 'EUR', user_limit_minor_units: 12_000 },
  pii: { categories: ['basic_contact', 'health'] },
  legal: { flags: ['requires_review'] },
  connector: { scope: 'mcp://calendar' },
};

const result = (rule: string, outcome: string, detail: string) => ({ rule, outcome, detail });

export const TYPICAL_DECISION = {
  decision: 'require_approval',
  rules: [
    result('spend_limit', 'allow', 'EUR 87.50 is within the limit of EUR 120.00.'),
    result(
      'pii_guardrail',
      'require_approval',
      'PII category health needs approval; the request also lists: basic_contact.',
    ),
    result('legal_compliance', 'require_approval', 'Legal flag requires_review needs approval.'),
    result('connector_scope', 'allow', 'Scope mcp://calendar is allowed.'),
  ],
};

/** Header with a credential that the executor must find and redact in each response. */
export const CREDENTIAL = {
  authorization: 'Bearer bXktdG9rZW4tZm9yLXRoZS1zaG9w.4f9c1e7a2b8d6035.Zm9yLXJlYWQ',
};

export const NEW_ORDER = {
  customer: {
    id: 51_883,
    name: 'Zoë Kühn-Œuvrard',
    email: 'zoe.kuehn@mail.example',
    verified: true,
  },
  ship_to: {
    street: 'Straße des 17. Juni 135',
    city: 'Berlin',
    postal_code: '10623',
    country: 'DE',
  },
  items: [
    {
      sku: 'DESK-OAK-160',
      title: 'Desk “Linde”, 160 × 80 cm',
      quantity: 1,
      price: 21_900,
      tags: ['oak', 'office'],
    },
    { sku: 'LAMP-09', title: 'Lamp, 9 W', quantity: 2, price: 1_500, tags: [] },
  ],
  note: 'Ring at the "Gartenhaus".\nOtherwise, leave it with a neighbour.\n',
};

/** Schema that a planner would write for an order. */
export const ORDER_SCHEMA = {
  type: 'object',
  required: ['id', 'status', 'total', 'items'],
  properties: {
    id: { type: 'string', minLength: 5 },
    status: { enum: ['open', 'paid', 'shipped'] },
    created_at: { type: 'string', format: 'date-time' },
    total: {
      type: 'object',
      required: ['amount', 'currency'],
      properties: {
        amount: { type: 'integer', minimum: 0 },
        currency: { type: 'string', maxLength: 3 },
      },
    },
    items: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['sku', 'quantity'],
        properties: {
          sku: { type: 'string' },
          quantity: { type: 'integer', minimum: 1 },
          tags: { type: 'array', items: { type: 'string', maxLength: 40 } },
        },
      },
    },
  },
};
