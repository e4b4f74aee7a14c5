import type { ServiceName } from '../support/subject.ts';
import { post } from './client.ts';
import type { Service } from './service.ts';
import type { Upstream } from './upstream.ts';

const WARM_UPS = 20;

/** The first requests pay for code that is loaded and compiled only then. */
export async function warmUp(
  service: Service,
  upstream: Upstream,
  name: ServiceName,
): Promise<void> {
  const action = {
    method: 'POST',
    url: upstream.origin,
    headers: { authorization: 'Bearer 0123456789abcdef' },
    body: { id: 7 },
    response_schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  };
  const check = { spend: { amount_minor_units: 1, currency: 'EUR' } };
  const [path, body] = name === 'policy' ? ['/policy/check', check] : ['/execute', action];
  for (let n = 0; n < WARM_UPS; n++) {
    await post(service.url + path, JSON.stringify(body));
    await post(service.url + path, '{"unknown":1}');
  }
}
