import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { ProblemReply } from '../problems/problem-reply.ts';
import { pathOf } from './paths.ts';

const { docs } = SERVICE_PATHS;

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Answers 404 if the path is unknown, or 405 with `Allow` if the method is wrong. */
export function refuseUnknownPaths(app: FastifyInstance): onRequestHookHandler {
  const routes = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    routes.add(url);
  });
  const notFound = () => new ProblemReply('NotFound', knownPathsHint([...routes]));
  // Fastify also calls this handler if a static file does not exist.
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  return (request, reply, done) => {
    if (!request.is404) return done();

    const path = pathOf(request.url);
    // Refuse dot segments such as `/..`, because `URLPattern` would resolve them and find a route.
    if (DOT_SEGMENT.test(path)) return done(notFound());

    const url = [...routes].find((pathname) =>
      new URLPattern({ pathname }).test({ pathname: path }),
    );
    if (url === undefined) return done(notFound());

    const methods = app.supportedMethods.filter((method) => app.hasRoute({ method, url }));
    const allowed = methods.join(', ');
    reply.header('allow', allowed);
    done(new ProblemReply('MethodNotAllowed', `Use ${allowed} for this path.`));
  };
}

/** Lists the service's paths, except individual problem pages and files under `/docs/`. */
function knownPathsHint(routes: readonly string[]): string {
  const shown = routes.filter((route) => !/[:*]/.test(route) && !route.startsWith(`${docs}/`));
  return `Use one of the paths of this service: ${shown.join(', ')}.`;
}
