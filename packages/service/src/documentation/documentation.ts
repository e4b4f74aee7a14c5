import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { PROBLEM_CODES, problemType, SERVICE_PATHS } from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import type { FastifyError, FastifyInstance, FastifySchema } from 'fastify';
import { pathOf } from '../request/path.ts';
import { shareSchemas } from './components.ts';
import { describeRoute, responseOf, SERVICE_TAG } from './route-schema.ts';

/** What people read about a service as a whole; the rest comes from its routes' schemas. */
export interface Documentation {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** SPDX identifier. */
  readonly license: string;
  readonly tags: readonly { name: string; description: string }[];
}

/** Nothing is loaded from elsewhere or framed. Swagger UI draws its icons from `data:`. */
const CONTENT_SECURITY_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const PAGE = responseOf(Type.String({ description: 'Readable text.' }), 'A page for browsers.');

/** Swagger UI's route of the page, the only one of its routes that is shown. */
const DOCS: FastifySchema = {
  operationId: 'getDocs',
  tags: [SERVICE_TAG],
  summary: 'Open the interactive documentation',
  description:
    'A page that shows this document and sends requests. It loads nothing from anywhere else.',
  produces: ['text/html'],
  response: { 200: PAGE },
};

const OPENAPI: FastifySchema = {
  operationId: 'getOpenapi',
  tags: [SERVICE_TAG],
  summary: 'Get this document',
  description:
    'The OpenAPI 3.1 description of this service, made from the schemas that it validates with.',
  response: { 200: responseOf(Type.Object({ openapi: Type.String() }), 'An OpenAPI document.') },
};

const PROBLEM_PAGES = `${SERVICE_PATHS.problems}/`;

/** The pages of all problems are shown as one path with this parameter. */
const PROBLEM_PARAMS = Type.Object({
  code: Type.Unsafe<string>({
    type: 'string',
    enum: PROBLEM_CODES.map((code) => problemType(code).slice(PROBLEM_PAGES.length)),
    description: 'The last part of the `type` of a problem.',
  }),
});

/**
 * Serves `GET /openapi.json` and the page `GET /docs` (contract, section 1). INVARIANT:
 * called before routes are registered. A route without an `operationId` is not shown.
 */
export function serveDocumentation(
  app: FastifyInstance,
  documentation: Documentation,
  authenticated: boolean,
): void {
  // Called, not registered: Fastify loads plugins after all routes are there, and this
  // one has to see them come.
  swagger(
    app,
    {
      openapi: { openapi: '3.1.0', ...headOf(documentation, authenticated) },
      convertConstToEnum: false,
      transform: ({ schema, url }) => {
        if (url === `${SERVICE_PATHS.docs}/`)
          return { schema: describeRoute(DOCS, authenticated), url: SERVICE_PATHS.docs };
        if (schema?.operationId === undefined) return { schema: { hide: true }, url };
        const described = describeRoute(schema, authenticated);
        return url.startsWith(PROBLEM_PAGES)
          ? { schema: { ...described, params: PROBLEM_PARAMS }, url: `${PROBLEM_PAGES}:code` }
          : { schema: described, url };
      },
      transformObject: (made) =>
        'openapiObject' in made ? shareSchemas(made.openapiObject) : made.swaggerObject,
    },
    () => {},
  );
  let document: string | undefined;
  app.get(SERVICE_PATHS.openapi, { schema: OPENAPI }, (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(document);
  });
  servePage(app, documentation.title);
}

function servePage(app: FastifyInstance, title: string): void {
  const options = {
    routePrefix: SERVICE_PATHS.docs,
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title },
    uiConfig: { layout: 'BaseLayout', displayRequestDuration: true, defaultModelsExpandDepth: 0 },
  } as const;
  // Unnamed, since under its own name it requires the plugin above to be registered.
  app.register(async (scope) => {
    refuseOtherFiles(scope);
    await swaggerUi(scope, options, () => {});
  });
}

/** The files of the page all lie in one folder. */
const FILE = /^[\w-]{1,100}(?:\.[\w-]{1,20}){1,3}$/;
const FILES = `${SERVICE_PATHS.docs}/static/`;

/** Answers 404 for other paths, which the plugin that serves files reads differently. */
function refuseOtherFiles(scope: FastifyInstance): void {
  scope.addHook('onRequest', ({ url }, reply, done) => {
    const path = pathOf(url);
    if (path.startsWith(FILES) && !FILE.test(path.slice(FILES.length))) reply.callNotFound();
    else done();
  });
  // A range or a condition that the file does not satisfy.
  scope.setErrorHandler<FastifyError>((error, _request, reply) => {
    if (error.statusCode === undefined || error.statusCode >= 500) throw error;
    reply.callNotFound();
  });
}

function headOf(
  { title, description, version, license, tags }: Documentation,
  authenticated: boolean,
) {
  const scheme = {
    type: 'http',
    scheme: 'bearer',
    description: 'A token that an operator hands out.',
  } as const;
  return {
    info: { title, description, version, license: { name: license, identifier: license } },
    servers: [{ url: '/', description: 'This service.' }],
    tags: [...tags, { name: SERVICE_TAG, description: 'Health, metrics and documentation.' }],
    ...(authenticated ? { components: { securitySchemes: { bearer: scheme } } } : {}),
    security: authenticated ? [{ bearer: [] }] : [],
  };
}
