import { type ExecutorProblemCode, exampleOf, type ProblemCode } from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import type { Server } from '../../src/index.ts';
import { accessWith } from '../support/access.ts';
import { exchange } from '../support/bare-exchange.ts';
import { startServer } from '../support/server.ts';

interface Trigger {
  readonly request: string;
  readonly options?: Parameters<typeof startServer>[1];
  readonly before?: (app: Server) => void;
}

const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`;
const post = (body: string, headers = 'content-type: application/json\r\n', path = '/spend') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;

const documentation = { title: 'T', description: 'T', version: '1', license: 'MIT', tags: [] };

/** Problems that the policy service's own tests trigger. */
type OfPolicy = 'ApprovalInvalid' | 'ApproverRequired';

/** `slow-client.io.test.ts` covers `RequestTimeout`, which takes half a minute. */
const TRIGGERS: Record<
  Exclude<ProblemCode, ExecutorProblemCode | OfPolicy | 'RequestTimeout'>,
  Trigger
> = {
  MalformedJson: { request: post('') },
  MalformedUrl: { request: get('/%zz') },
  MalformedRequest: { request: 'nonsense\r\n\r\n' },
  InvalidRequest: { request: post('{"spend":{}}') },
  Unauthorized: {
    request: get('/spend'),
    options: { access: accessWith('t') },
  },
  TokenNotAllowed: {
    request: get('/spend', 'authorization: Bearer m\r\n'),
    options: { access: accessWith('t', 'm') },
  },
  NotFound: {
    request: get('/nowhere'),
    options: { documentation },
  },
  MethodNotAllowed: { request: get('/spend') },
  PayloadTooLarge: { request: post(`"${'x'.repeat(1_000)}"`) },
  UnsupportedMediaType: { request: post('EUR', 'content-type: text/plain\r\n') },
  HeadersTooLarge: { request: get('/healthz', `x: ${'x'.repeat(100_000)}\r\n`) },
  InternalError: { request: get('/broken') },
  Overloaded: {
    request: get('/healthy'),
    options: { load: { maxInFlight: 0, maxEventLoopDelayMs: 600_000 } },
  },
  NotReady: { request: get('/readyz'), before: (app) => app.draining.abort() },
};

const Body = Type.Object({ spend: Type.Object({ currency: Type.String() }) });

/** Removes limits and paths, which differ between this test and the documented examples. */
const comparable = (detail: string) =>
  detail.replaceAll(/\d+/g, '#').replace(', /spend, /broken', '');

it.each(Object.entries(TRIGGERS))(
  'callers get the documented example of %s',
  async (code, trigger) => {
    let built: Server | undefined;
    await using server = await startServer((app) => {
      built = app;
      app.post('/spend', { schema: { body: Body } }, () => ({}));
      app.get('/broken', () => {
        throw new Error('broken');
      });
    }, trigger.options);
    if (built !== undefined) trigger.before?.(built);
    const [, body = ''] = (await exchange(server.port, trigger.request)).split('\r\n\r\n');
    const { detail, errors, code: thrown } = JSON.parse(body);
    const { detail: shown, violations } = exampleOf(code as ProblemCode);
    expect({ code: thrown, detail: comparable(detail), errors }).toEqual({
      code,
      detail: comparable(shown),
      errors: violations,
    });
  },
);
