import { judgePolicy } from '@gatehouse/policy-engine';
import { decisionCounter } from '@gatehouse/policy-service';
import { Metrics, measureRequests } from '@gatehouse/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { do_not_optimize, measure } from 'mitata';

/** What recording one policy check costs, without the server around. */
const metrics = new Metrics();
const recordDecision = decisionCounter(metrics);
const recordRequest = measureRequests(metrics);

const { ruling } = judgePolicy({
  spend: { amount_minor_units: 8_750, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
  connector: { scope: 'mcp://calendar' },
});
/** The parser makes a string of its own for every request, whose hash nobody has computed yet. */
const wire = Buffer.from('POST /policy/check');
const request = (url: string) =>
  ({
    method: 'POST',
    url,
    is404: false,
    routeOptions: { url: '/policy/check' },
  }) as unknown as FastifyRequest;
const reply = { statusCode: 200, raw: { writableFinished: true } } as unknown as FastifyReply;
const fresh = () => wire.toString('latin1', 5);

const subjects = {
  'the request alone': () => do_not_optimize(request(fresh())),
  'the request, its duration recorded': () => recordRequest(request(fresh()), reply, 0.12),
  'decision and four rules recorded': () => recordDecision(ruling),
};

for (const [name, run] of Object.entries(subjects)) {
  const { p50, avg } = await measure(run);
  console.log(
    `${name.padEnd(36)} p50 ${p50.toFixed(1).padStart(7)} ns   mean ${avg.toFixed(1).padStart(7)} ns`,
  );
}
