import Fastify from 'fastify';
import { type Dispatcher, request } from 'undici';

interface Action {
  readonly method: Dispatcher.HttpMethod;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Baseline for the executor: a handwritten proxy without guards or schema validation. */
const app = Fastify();
app.post('/execute', async (incoming) => {
  const action = incoming.body as Action;
  const { statusCode, headers, body } = await request(action.url, {
    method: action.method,
    headers:
      action.body === undefined ? (action.headers ?? null) : { ...JSON_TYPE, ...action.headers },
    body: action.body === undefined ? null : JSON.stringify(action.body),
  });
  return {
    outcome: 'success',
    status: statusCode,
    headers,
    body: await body.json(),
    attempts: 1,
    history: [],
  };
});
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
