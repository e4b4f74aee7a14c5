import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { ProblemReply } from '../problems/problem-reply.ts';
import { pathOf } from '../request/path.ts';

const { docs } = SERVICE_PATHS;

/** Refuses a wrong method with 405 and `Allow`, and an unknown path with 404. */
export function refuseUnknownPaths(app: FastifyInstance): onRequestHookHandler {
  const routes = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    routes.add(url);
  });
  const notFound = () => new ProblemReply('NotFound', hint([...routes]));
  // Called by routes that do not find a file.
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  return (request, reply, done) => {
    if (!request.is404) return done();
    const path = { pathname: pathOf(request.url) };
    const url = [...routes].find((pathname) => new URLPattern({ pathname }).test(path));
    if (url === undefined) return done(notFound());
    const methods = app.supportedMethods.filter((method) => app.hasRoute({ method, url }));
    const allowed = methods.join(', ');
    reply.header('allow', allowed);
    done(new ProblemReply('MethodNotAllowed', `Use ${allowed} for this path.`));
  };
}

/** Redirects a browser from `/` to the documentation. Other clients get a 404 or 401. */
export function redirectToDocs(app: FastifyInstance): onRequestHookHandler {
  return ({ url, method, headers }, reply, done) => {
    const isBrowser = headers.accept?.includes('text/html') === true;
    if (url !== '/' || method !== 'GET' || !isBrowser || !app.hasRoute({ method, url: docs }))
      return done();
    reply.header('cache-control', 'no-store').redirect(docs, 303);
  };
}

/** Lists every path except single pages and files. */
function hint(routes: readonly string[]): string {
  const shown = routes.filter((route) => !/[:*]/.test(route) && !route.startsWith(`${docs}/`));
  return `Use one of the paths of this service: ${shown.join(', ')}.`;
}
