import { type Static, Type } from '@sinclair/typebox';
import Fastify from 'fastify';

// Baseline for the policy service: the code that an engineer writes in an afternoon. Fastify's own
// logger is on, and the four rules of the default profile are constants in the code.
type Outcome = 'allow' | 'require_approval' | 'deny';

const CATEGORIES: Record<string, Outcome> = {
  ...{ basic_contact: 'allow', location: 'allow', other: 'allow' },
  ...{ financial: 'require_approval', health: 'require_approval' },
  ...{ biometric: 'deny', government_id: 'deny' },
};
const FLAGS: Record<string, Outcome> = {
  ...{ requires_review: 'require_approval', terms_unknown: 'require_approval' },
  ...{ export_controlled: 'require_approval', prohibited_content: 'deny', other: 'allow' },
};
const SCOPES = ['calendar', 'crm', 'email', 'files', 'support', 'tasks'];
const ALLOWED_SCOPES = new Set(SCOPES.map((name) => `mcp://${name}`));
const DENIED_SCOPES = new Set(['mcp://root', 'mcp://secrets', 'mcp://admin']);

const amount = Type.Integer({ minimum: 0 });
const oneOf = (labels: object) => Type.Unsafe<string>({ enum: Object.keys(labels) });
const Check = Type.Object({
  request_id: Type.Optional(Type.String({ maxLength: 128 })),
  spend: Type.Object({
    amount_minor_units: amount,
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
    user_limit_minor_units: Type.Optional(amount),
  }),
  pii: Type.Object({ categories: Type.Array(oneOf(CATEGORIES)) }),
  legal: Type.Object({ flags: Type.Array(oneOf(FLAGS)) }),
  connector: Type.Object({ scope: Type.String() }),
});
type Check = Static<typeof Check>;

const VERDICTS = { allow: 'is allowed', require_approval: 'needs approval', deny: 'is denied' };

function strictest(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('deny')) return 'deny';
  return outcomes.includes('require_approval') ? 'require_approval' : 'allow';
}

function spendLimit({ amount_minor_units, currency, user_limit_minor_units }: Check['spend']) {
  const limit = user_limit_minor_units ?? 10_000;
  const money = (minorUnits: number) => `${currency} ${(minorUnits / 100).toFixed(2)}`;
  const [spent, most] = [money(amount_minor_units), money(limit)];
  if (amount_minor_units > 50_000)
    return ['deny', `${spent} is above the ceiling of ${money(50_000)}.`] as const;
  if (amount_minor_units > limit)
    return ['require_approval', `${spent} is above the limit of ${most}.`] as const;
  return ['allow', `${spent} is within the limit of ${most}.`] as const;
}

/** Applies a rule about labels, such as PII categories. */
function labels(what: string, all: readonly string[], known: Record<string, Outcome>) {
  const outcome = strictest(all.map((label) => known[label] ?? 'deny'));
  const decisive = all.filter((label) => known[label] === outcome).join(', ');
  const others = all.filter((label) => known[label] !== outcome).join(', ');
  const also = others === '' ? '' : `; the request also lists: ${others}`;
  return [outcome, `${what} ${decisive} ${VERDICTS[outcome]}${also}.`] as const;
}

function connectorScope({ scope }: Check['connector']) {
  const listed = ALLOWED_SCOPES.has(scope) ? 'allow' : 'require_approval';
  const outcome = DENIED_SCOPES.has(scope) ? 'deny' : listed;
  return [outcome, `Scope ${scope} ${VERDICTS[outcome]}.`] as const;
}

const app = Fastify({ logger: true });
app.post<{ Body: Check }>('/policy/check', { schema: { body: Check } }, async ({ body, log }) => {
  const results = {
    spend_limit: spendLimit(body.spend),
    pii_guardrail: labels('PII category', body.pii.categories, CATEGORIES),
    legal_compliance: labels('Legal flag', body.legal.flags, FLAGS),
    connector_scope: connectorScope(body.connector),
  };
  const rules = Object.entries(results).map(([rule, [outcome, detail]]) => {
    return { rule, outcome, detail };
  });
  const decision = strictest(rules.map(({ outcome }) => outcome));
  log.info({ request_id: body.request_id, decision, rules, ...body.pii, ...body.legal }, 'check');
  return { decision, rules };
});
await app.listen({ host: '127.0.0.1', port: 0 });
