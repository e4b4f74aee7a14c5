import Fastify from 'fastify';
import { TYPICAL_DECISION } from './requests.ts';

/** Baseline for the policy service: a route that returns a constant decision. */
const app = Fastify();
app.post('/policy/check', async () => TYPICAL_DECISION);
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
