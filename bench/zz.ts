import Fastify from 'fastify';
import { type Dispatcher, request } from 'undici';

/** The baseline: what one would write by hand, without any of the guards. */
const app = Fastify();
app.post('/execute', async (incoming) => {
  const { method, url } = incoming.body as { method: Dispatcher.HttpMethod; url: string };
  const { statusCode, headers, body } = await request(url, { method });
  return { outcome: 'success', status: statusCode, headers, body: await body.json(), attempts: 1, history: [] };
});
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })}`);
