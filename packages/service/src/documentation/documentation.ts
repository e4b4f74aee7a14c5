import { SERVICE_PATHS } from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifySchema, RouteHandlerMethod, RouteOptions } from 'fastify';
import { pathOf } from '../request/path.ts';
import type { Formats } from './components.ts';
import { responseOf, textResponse } from './route-schema.ts';

/** What people read about a service as a whole; the rest comes from its routes' schemas. */
export interface Documentation {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** SPDX identifier. */
  readonly license: string;
  readonly tags: readonly { name: string; description: string }[];
  readonly formats?: Formats;
}

const DOCS: FastifySchema = {
  operationId: 'getDocs',
  summary: 'Open the interactive documentation',
  description:
    'A page that shows this document and sends requests. It loads nothing from anywhere else.',
  ...textResponse('text/html', 'A page for browsers.'),
};

const OPENAPI: FastifySchema = {
  operationId: 'getOpenapi',
  summary: 'Get this document',
  description:
    'The OpenAPI 3.1 description of this service, made from the schemas that it validates with.',
  response: {
    200: responseOf(
      Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      'An OpenAPI document.',
    ),
  },
};

/** INVARIANT: called before routes are registered. Shows only those with an `operationId`. */
export function serveDocumentation(app: FastifyInstance, documentation: Documentation): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  // Loaded when it is first asked for: it needs much time and memory.
  const server = madeOnFirstRequest(async () => {
    const { openApiServer } = await import('./openapi-server.ts');
    return openApiServer(routes, documentation);
  });
  app.get(SERVICE_PATHS.openapi, { schema: OPENAPI }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send((await server()).document),
  );
  const fileAt = madeOnFirstRequest(
    async (path) => (await server()).file(path),
    ({ statusCode }) => statusCode < 400,
  );
  const page: RouteHandlerMethod = async (request, reply) => {
    const { statusCode, headers, body } = await fileAt(pathOf(request.url));
    if (statusCode >= 400) return reply.callNotFound();
    reply.headers(headers);
    return headers.etag !== undefined && request.headers['if-none-match'] === headers.etag
      ? reply.code(304).send()
      : reply.code(statusCode).send(body.length === 0 ? undefined : body);
  };
  app.get(SERVICE_PATHS.docs, { schema: DOCS }, page);
  app.get<{ Params: { '*': string } }>(`${SERVICE_PATHS.docs}/*`, (request, reply) =>
    OF_PAGE.test(request.params['*']) ? page.call(app, request, reply) : reply.callNotFound(),
  );
}

/** The page again, the document that it shows, and its files, which lie in two folders. */
const OF_PAGE = /^(?:json|yaml|static\/(?:theme\/)?[\w-]{1,100}(?:\.[\w-]{1,20}){1,3})?$/;

/** INVARIANT: work on a path runs once, however many ask; its result stays if `isKept`. */
function madeOnFirstRequest<T>(
  work: (path: string) => Promise<T>,
  isKept: (result: T) => boolean = () => true,
): (path?: string) => Promise<T> {
  const results = new Map<string, Promise<T>>();
  return (path = '') => {
    const known = results.get(path);
    if (known !== undefined) return known;
    const result = work(path);
    results.set(path, result);
    result
      .then(isKept, () => false)
      .then((kept) => {
        if (!kept) results.delete(path);
      });
    return result;
  };
}
