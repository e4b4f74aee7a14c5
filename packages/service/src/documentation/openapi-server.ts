import { setImmediate as nextTurn } from 'node:timers/promises';
import swagger, { type SwaggerOptions } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { PROBLEM_CODES, problemType, SERVICE_PATHS } from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import Fastify, { type RouteOptions } from 'fastify';
import { isOpen } from '../access/authentication.ts';
import { isProbe } from '../server/health.ts';
import { shareSchemas } from './components.ts';
import type { Documentation } from './documentation.ts';
import { describeRoute, SERVICE_TAG } from './route-schema.ts';

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

/** Where the page is documented, since Swagger UI has its path. */
const DOCS_PAGE = `${SERVICE_PATHS.docs}-page`;

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
 * A server that never listens: it has the routes, to document them, and Swagger UI. Other
 * callers are served between its steps, which take tens of milliseconds.
 */
export async function openApiServer(routes: readonly RouteOptions[], documentation: Documentation) {
  await nextTurn();
  const server = Fastify();
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => JSON.stringify);
  await server.register(swagger, openApiOptions(documentation));
  await nextTurn();
  for (const { method, url, schema } of routes) {
    // Fastify adds HEAD to each GET again, and Swagger UI has its own routes.
    if (method === 'HEAD' || (url.startsWith(SERVICE_PATHS.docs) && !schema)) continue;
    const shown = url === SERVICE_PATHS.docs ? DOCS_PAGE : url;
    server.route({ method, url: shown, ...(schema && { schema }), handler: () => {} });
  }
  await server.register(swaggerUi, {
    routePrefix: SERVICE_PATHS.docs,
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: documentation.title },
    uiConfig: { layout: 'BaseLayout', displayRequestDuration: true, defaultModelsExpandDepth: 0 },
  });
  await server.ready();
  await nextTurn();
  /** The page, or a file of it. */
  const file = async (path: string) => {
    const { statusCode, headers, rawPayload } = await server.inject(path);
    for (const name of OWN_HEADERS) delete headers[name];
    return { statusCode, headers, body: rawPayload };
  };
  return { document: JSON.stringify(server.swagger()), file };
}

/** What each connection says for itself, and ranges, which are not served. */
const OWN_HEADERS = [
  ...['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'],
  'accept-ranges',
];

function openApiOptions(documentation: Documentation): SwaggerOptions {
  return {
    openapi: { openapi: '3.1.0', ...headOf(documentation) },
    convertConstToEnum: false,
    transform: ({ schema, url: routed }) => {
      if (schema?.operationId === undefined) return { schema: { hide: true }, url: routed };
      const url = routed.replace(DOCS_PAGE, SERVICE_PATHS.docs);
      const described = describeRoute(schema, { open: isOpen(url), probe: isProbe(url) });
      return url.startsWith(PROBLEM_PAGES)
        ? { schema: { ...described, params: PROBLEM_PARAMS }, url: `${PROBLEM_PAGES}:code` }
        : { schema: described, url };
    },
    transformObject: (made) =>
      'openapiObject' in made
        ? shareSchemas(made.openapiObject, documentation.formats)
        : made.swaggerObject,
  };
}

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description: 'A token that an operator hands out; needed only where tokens are set.',
} as const;

/** The same whether tokens are set or not, so that a client made from it fits both. */
function headOf(documentation: Documentation) {
  const { title, description, version, license, tags } = documentation;
  return {
    info: { title, description, version, license: { name: license, identifier: license } },
    servers: [{ url: '/', description: 'This service.' }],
    tags: [...tags, { name: SERVICE_TAG, description: 'Health, metrics and documentation.' }],
    components: { securitySchemes: { bearer: BEARER } },
    security: [{}, { bearer: [] }],
  };
}
