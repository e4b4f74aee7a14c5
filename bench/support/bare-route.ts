import Fastify from 'fastify';

const app = Fastify();
const answer = {
  decision: 'allow',
  rules: ['spend_limit', 'pii_guardrail', 'legal_compliance', 'connector_scope'].map((rule) => ({
    rule,
    outcome: 'allow',
    detail: 'This constant takes the place of a reason.',
  })),
};
app.post('/policy/check', async () => answer);
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
