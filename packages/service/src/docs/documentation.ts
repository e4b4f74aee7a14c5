import swagger, { type SwaggerOptions } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { SERVICE_PATHS } from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { ProblemReply } from '../problems/problem-reply.ts';
import { type Formats, shareSchemas } from './components.ts';
import { describeRoute, responseOf, SERVICE_TAG } from './route-schema.ts';

export interface Documentation {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly license: string;
  readonly tags: readonly { name: string; description: string }[];
  readonly formats?: Formats;
}

const OPENAPI: FastifySchema = {
  operationId: 'getOpenapi',
  summary: 'Get this document',
  description:
    'The OpenAPI 3.1 description of this service, generated from the schemas that validate its requests. The `/docs` page shows this document and can send requests.',
  response: {
    200: responseOf(
      Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      'An OpenAPI document.',
    ),
  },
};

/** Policy for `/docs`. Swagger UI's icons need `data:` URLs. */
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
 * Documents every route that has an `operationId`.
 * INVARIANT: await `serveDocumentation` before registering any route.
 */
export async function serveDocumentation(app: FastifyInstance, documentation: Documentation) {
  await app.register(swagger, openApiOptions(documentation));
  app.get(SERVICE_PATHS.openapi, { schema: OPENAPI }, () => app.swagger());
  await app.register(async (docs) => {
    // The static file plugin throws only for an unknown path or an invalid `range` header.
    docs.setErrorHandler(() => {
      throw new ProblemReply(
        'NotFound',
        `Open ${SERVICE_PATHS.docs}, the start page of the documentation.`,
      );
    });
    await docs.register(swaggerUi, {
      routePrefix: SERVICE_PATHS.docs,
      staticCSP: CONTENT_SECURITY_POLICY,
      theme: { title: documentation.title },
      uiConfig: { layout: 'BaseLayout', displayRequestDuration: true, defaultModelsExpandDepth: 0 },
    });
  });
}

function openApiOptions(documentation: Documentation): SwaggerOptions {
  const { title, description, version, license, tags, formats } = documentation;
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title, description, version, license: { name: license, identifier: license } },
      servers: [{ url: '/', description: 'This service.' }],
      tags: [...tags, { name: SERVICE_TAG, description: 'Health, metrics and documentation.' }],
      components: { securitySchemes: { bearer: BEARER } },
      // Describe the token as optional, so that generated clients also work without a token.
      security: [{}, { bearer: [] }],
    },
    convertConstToEnum: false,
    transform: ({ schema, url }) => {
      const isHidden = schema?.operationId === undefined;
      return { schema: isHidden ? { hide: true } : describeRoute(schema, url), url };
    },
    transformObject: (made) =>
      'openapiObject' in made ? shareSchemas(made.openapiObject, formats) : made.swaggerObject,
  };
}

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description: 'A token from the operator, needed only if API tokens are set.',
} as const;
