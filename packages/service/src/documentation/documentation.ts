import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyError, FastifyInstance } from 'fastify';
import { pathOf } from '../request/path.ts';
import { shareSchemas } from './components.ts';
import { describeOperation, type Operation } from './operation.ts';
import { SERVICE_OPERATIONS, SERVICE_TAG } from './service-operations.ts';

/**
 * What people read about a service; what programs read about it is made from the schemas
 * of its routes.
 */
export interface Documentation {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** SPDX identifier. */
  readonly license: string;
  readonly tags: readonly { name: string; description: string }[];
  /** By path, as the route has it. */
  readonly operations: Readonly<Record<string, Operation>>;
}

/**
 * Nothing is loaded from elsewhere, and nothing may frame the page. Swagger UI draws its
 * icons from `data:`.
 */
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

/**
 * Serves `GET /openapi.json` and the page `GET /docs` (contract, section 1). Call before
 * routes are registered; a route without an operation is not shown. Schemas are read for
 * documentation only: what is sent does not change.
 */
export function serveDocumentation(
  app: FastifyInstance,
  documentation: Documentation,
  authenticated: boolean,
): void {
  const operations = { ...SERVICE_OPERATIONS, ...documentation.operations };
  // Called, not registered: Fastify loads plugins later, when all routes are there, and
  // this one has to see them come.
  swagger(
    app,
    {
      openapi: { openapi: '3.1.0', ...headOf(documentation, authenticated) },
      convertConstToEnum: false,
      transform: ({ schema, url }) => {
        // Fastify registers the path of a page with and without a slash at its end.
        const operation = operations[url.replace(/(?<=.)\/$/, '')];
        if (operation === undefined) return { schema: { hide: true }, url };
        const described = describeOperation(operation, schema ?? {}, authenticated);
        return { schema: described, url: operation.path ?? url };
      },
      transformObject: (made) =>
        'openapiObject' in made ? shareSchemas(made.openapiObject) : made.swaggerObject,
    },
    () => {},
  );
  let document: string | undefined;
  app.get(SERVICE_PATHS.openapi, (_request, reply) => {
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
  // Not by its own name, since it would ask for the plugin above to be registered.
  app.register(async (scope) => {
    refuseOtherFiles(scope);
    await swaggerUi(scope, options, () => {});
  });
}

/** The files of the page all lie in one folder. */
const FILE = /^[\w-]{1,100}(?:\.[\w-]{1,20}){1,3}$/;
const FILES = `${SERVICE_PATHS.docs}/static/`;

/**
 * Whatever else is asked for beside them is not there; what serves files has other ideas
 * of a path, and throws.
 */
function refuseOtherFiles(scope: FastifyInstance): void {
  scope.addHook('onRequest', ({ url }, reply, done) => {
    const path = pathOf(url);
    if (path.startsWith(FILES) && !FILE.test(path.slice(FILES.length))) reply.callNotFound();
    else done();
  });
  // A range or a condition that no file meets.
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
    tags: [...tags, SERVICE_TAG],
    ...(authenticated ? { components: { securitySchemes: { bearer: scheme } } } : {}),
    security: authenticated ? [{ bearer: [] }] : [],
  };
}
